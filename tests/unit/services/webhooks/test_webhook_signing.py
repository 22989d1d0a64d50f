"""The signature of webhooks by the standard, the addresses they may go to, and a secret that no log shows."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from services.web.request_log import Redaction
from services.webhooks.rows import Outgoing
from services.webhooks.worker import check_address, new_secret, sign
from vta.errors import InvalidInput
from vta.types.courses import CourseId

MOMENT = datetime.fromtimestamp(1614265330, UTC)


def outgoing(secret: str) -> Outgoing:
    return Outgoing(
        id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        course_id=CourseId("ds"),
        kind="webhook.test",
        created_at=MOMENT,
        url="https://learn.example",
        secret=secret,
        data={"course_id": "ds"},
    )


def test_a_signature_is_that_of_the_standard() -> None:
    """The published example of Standard Webhooks."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    assert sign(outgoing(secret), b'{"test": 2432232314}', MOMENT) == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_secret_is_new_each_time_and_in_no_log() -> None:
    """256 bits; wherever one came into a message, it is taken out."""
    secrets = {new_secret() for _ in range(20)}
    assert len(secrets) == 20
    assert all(len(secret) == len("whsec_") + 44 for secret in secrets)
    for secret in secrets:
        assert Redaction()(f"signed with {secret}, sent") == "signed with whsec_[secret], sent"
        assert secret not in repr(outgoing(secret))


@pytest.mark.parametrize(
    "url",
    [
        "http://learn.example/vta", "https://127.0.0.1/vta", "https://10.1.2.3", "https://[::1]/",
        "https://[::ffff:192.168.0.1]/", "https://0x7f.1/", "https://2130706433/",
        "https://169.254.169.254/latest", "https://localhost/vta", "https://intranet/vta",
        "https://moodle.local/vta",
    ],
)  # fmt: skip
def test_an_address_inside_the_house_is_refused_unless_it_is_allowed(url: str) -> None:
    """Plain http is too."""
    with pytest.raises(InvalidInput) as refused:
        check_address(url, private=False)
    assert refused.value.field == "webhook_url"
    assert check_address(f" {url} ", private=True) == url


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(
    "url",
    [
        "",
        "learn.example",
        "ftp://learn.example",
        "https://",
        "https://ann:secret@learn.example",
        "https://learn.example/a b",
        "https://learn.example/\n",
        "https://learn.example:99999",
        "https://learn.example/#part",
        "https://learn.example\\@evil.example",
        "https://[::1",
        "https://例子.example",
        "https://127.0.0.1%00.example.com/",
        "https://learn%2eexample.com",
        "https://learn!.example",
        "https://learn.example'",
        "https://[2606:4700::1111%00]",
        "https://learn..example",
        "https://learn.example/" + "x" * 1000,
    ],
)
def test_what_is_no_address_is_refused(url: str, private: bool) -> None:
    """Wherever it would go to."""
    with pytest.raises(InvalidInput) as refused:
        check_address(f"x{url}x" if url.endswith("\n") else url, private=private)
    assert refused.value.field == "webhook_url"


def test_a_public_address_is_kept_as_it_is() -> None:
    """With port, path and query."""
    url = "https://learn.example:8443/vta?tenant=7"
    assert check_address(url, private=False) == url
