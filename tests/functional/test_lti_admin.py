"""The admin page: platforms, mappings and shares, by forms that only the bearer of the admin key can send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest
from served_platform import Serve, Served

from services.lti.platform_store import LtiContext
from services.web.rate_limits import FAILED_LOG_INS

ADMIN = "an-admin-key-for-the-tests"
GIVEN = {
    "issuer": "https://lms.example.org",
    "client_id": "42",
    "deployment": "1",
    "login_url": "https://lms.example.org/auth",
    "jwks_url": "https://lms.example.org/jwks",
    "origin": "",
}

pytestmark = pytest.mark.settings(admin_key=ADMIN)


class Admin:
    """A browser that is logged in; the cookie is kept by hand."""

    def __init__(self, api: Served, key: str = ADMIN) -> None:
        self._client = httpx.Client(
            base_url=api.address, trust_env=False, timeout=60, headers={"Accept-Language": "en"}
        )
        logged_in = self.log_in(key)
        self.status = logged_in.status_code
        found = re.search(r'name="csrf" value="(\w+)"', self._client.get("/lti/admin").text)
        self.csrf = found[1] if found else ""

    def log_in(self, key: str) -> httpx.Response:
        return self._client.post("/lti/admin/log-in", data={"key": key})

    def do(self, path: str, **form: str) -> httpx.Response:
        return self._client.post(f"/lti/admin/{path}", data={"csrf": self.csrf, **form})

    def page(self) -> str:
        return self._client.get("/lti/admin").text

    def close(self) -> None:
        self._client.close()


@pytest.fixture
def admin(api: Served) -> Iterator[Admin]:
    browser = Admin(api)
    yield browser
    browser.close()


def test_a_platform_is_registered_mapped_shared_corrected_and_removed(api: Served, admin: Admin) -> None:
    """Each form does what its command does, and the page shows it."""
    stores = api.platform.stores
    assert admin.do("do/add", **GIVEN).status_code == 200
    (known,) = stores.lti_platforms.platforms()
    assert (known.issuer, known.deployments) == ("https://lms.example.org", ("1",))
    context = {"deployment": f"{known.id} 1", "context": "117"}
    assert admin.do("do/map", **context, course="stacks-en").status_code == 200
    ours = LtiContext(platform_id=known.id, deployment_id="1", context_id="117")
    assert stores.lti_platforms.mapped(ours).course_id == "stacks-en"
    admin.do("do/share", platform=known.id, course="stacks-zh")
    assert stores.lti_shared_courses.shared(known.id) == ("stacks-zh",)
    admin.do("do/unshare", platform=known.id, course="stacks-zh")
    admin.do("do/edit", platform=known.id, jwks_url="https://lms.example.org/keys", deployment="2")
    edited = stores.lti_platforms.platform(known.id)
    assert (edited.jwks_url, edited.client_id, edited.deployments) == (
        "https://lms.example.org/keys",
        "42",
        ("1", "2"),
    )
    admin.do("do/unmap", **context)
    admin.do("do/remove", platform=known.id)
    assert (stores.lti_platforms.contexts(), stores.lti_platforms.platforms()) == ((), ())


def test_what_is_wrong_is_said_and_changes_nothing(api: Served, admin: Admin) -> None:
    """An address inside the house, a second registration, keys that cannot be had."""
    refused = admin.do("do/add", **{**GIVEN, "jwks_url": "https://127.0.0.1/jwks"})
    assert (refused.status_code, 'role="alert"' in refused.text) == (422, True)
    assert admin.do("do/add", **GIVEN).status_code == 200
    assert admin.do("do/add", **GIVEN).status_code == 422
    (known,) = api.platform.stores.lti_platforms.platforms()
    api.platform.stores.lti_platforms.edit(known.id, {"jwks_url": "https://127.0.0.1/jwks"})
    checked = admin.do("check", platform=known.id)
    assert "VTA_LTI_PRIVATE_ADDRESSES" in checked.text


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("jwks_url", "http://lms.example.org/jwks"),
        ("jwks_url", "https://127.0.0.1/jwks"),
        ("jwks_url", "https://169.254.169.254/latest"),
        ("jwks_url", "https://lms/jwks"),
        ("jwks_url", "https://user@lms.example.org/"),
        ("login_url", "javascript:alert(1)"),
        ("login_url", "https://lms.example.org;x/"),
        ("login_url", "ftp://lms.example.org"),
        ("origin", "school.example.org"),
    ],
)
def test_an_address_that_is_not_public_is_refused(api: Served, admin: Admin, field: str, value: str) -> None:
    """The alert is on the page, and nothing is registered."""
    refused = admin.do("do/add", **{**GIVEN, field: value})
    assert (refused.status_code, 'role="alert"' in refused.text) == (422, True)
    assert api.platform.stores.lti_platforms.platforms() == ()


def test_a_private_address_needs_its_setting(serve: Serve) -> None:
    """With it a platform next door can be registered, once; the origins of its pages come first."""
    api = serve(admin_key=ADMIN, lti_private_addresses=True)
    local = {**GIVEN, "jwks_url": "http://127.0.0.1:9/jwks", "origin": "https://school.example.org/x"}
    browser = Admin(api)
    assert [browser.do("do/add", **local).status_code for _ in range(2)] == [200, 422]
    browser.close()
    (known,) = api.platform.stores.lti_platforms.platforms()
    assert known.origins == ("https://school.example.org", "https://lms.example.org")


def test_a_registration_link_is_shown_once(api: Served, admin: Admin) -> None:
    """It is a link of this server, and the page itself does not know it any more."""
    made = unescape(re.search(r'id="link" value="([^"]+)"', admin.do("invite").text)[1])  # type: ignore[index]
    assert made.startswith(f"{api.address}/lti/register?invite=")
    assert made not in admin.page()
    assert api.platform.stores.lti_invitations.use(made.partition("=")[2])


def test_only_the_admin_key_opens_the_page(api: Served, serve: Serve, admin: Admin) -> None:
    """Not another key, a made-up cookie, or a form of another site or without its token."""
    wrong = Admin(api, key="another-key-of-sixteen")
    assert (wrong.status, wrong.csrf) == (403, "")
    assert wrong.do("do/add", **GIVEN).status_code == 303
    forged = {"Cookie": f"vta_lti_admin=9999999999.{'0' * 64}"}
    assert (
        httpx.get(f"{api.address}/lti/admin", headers=forged, trust_env=False, timeout=60).status_code == 303
    )
    foreign = {"Origin": "https://evil.example"}
    sent = admin._client.post("/lti/admin/do/add", data={"csrf": admin.csrf, **GIVEN}, headers=foreign)
    assert sent.status_code == 403
    assert admin._client.post("/lti/admin/do/add", data=GIVEN).status_code == 403
    assert api.platform.stores.lti_platforms.platforms() == ()
    wrong.close()
    without = serve()
    assert (
        "VTA_ADMIN_KEY" in httpx.get(f"{without.address}/lti/admin/log-in", trust_env=False, timeout=60).text
    )
    assert (
        httpx.get(f"{without.address}/lti/admin", headers=forged, trust_env=False, timeout=60).status_code
        == 303
    )


def test_wrong_admin_keys_are_limited_and_right_ones_are_not(api: Served) -> None:
    """After too many wrong ones even the right one has to wait, and is told so."""
    for _ in range(FAILED_LOG_INS + 2):
        browser = Admin(api)
        assert browser.status == 303
        browser.close()
    guesser = Admin(api, key="guess 0")
    for number in range(1, FAILED_LOG_INS):
        assert guesser.log_in(f"guess {number}").status_code == 403
    refused = guesser.log_in(ADMIN)
    assert (refused.status_code, "try again in" in refused.text) == (429, True)
    assert "set-cookie" not in refused.headers
    guesser.close()


def test_a_cookie_opens_nothing_after_the_log_out(api: Served, admin: Admin) -> None:
    """Nor does another copy of it; a log-out without a session ends nobody's."""
    cookie = {"Cookie": f"vta_lti_admin={admin._client.cookies['vta_lti_admin']}"}
    given = {"base_url": api.address, "trust_env": False, "timeout": 60}
    with httpx.Client(**given, headers=cookie) as copy, httpx.Client(**given) as stranger:  # type: ignore[arg-type]
        stranger.post("/lti/admin/log-out")
        assert copy.get("/lti/admin").status_code == 200
        assert admin._client.post("/lti/admin/log-out").status_code == 303
        assert copy.get("/lti/admin").status_code == 303
        assert copy.post("/lti/admin/do/add", data={"csrf": admin.csrf, **GIVEN}).status_code == 303
    again = Admin(api)
    assert again.do("do/add", **GIVEN).status_code == 200
    again.close()
