"""`vta lti` from the shell: what it registers, what it refuses, and that a refusal changes nothing."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from command_lines import Vta

from vta.types import Language

ADD = (
    *("lti", "platform", "add", "--issuer", "https://lms.example.org", "--client-id", "42"),
    *("--login-url", "https://login.example.org/auth?x=1", "--jwks-url", "https://lms.example.org/jwks"),
)

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="the command line is not proven: intent/weights/model.onnx is missing",
)


def test_a_platform_is_registered_deployed_mapped_and_removed(command: Vta) -> None:
    """Each step shows what is there now; with the platform its contexts go."""
    command("course", "add", "ds", "--name", "数据结构", "--domain", "计算机", "--language", Language.ZH)
    code, out, err = command(*ADD, "--deployment", "1", "--origin", "https://school.example.org/x", "--json")
    assert code == 0, err
    added = json.loads(out)
    assert added["origins"] == [
        "https://school.example.org",
        "https://lms.example.org",
        "https://login.example.org",
    ]
    assert command("lti", "map", added["id"], "c1", "ds")[:2] == (0, "c1 is ds\n")
    again = json.loads(command("lti", "platform", "deploy", added["id"], "2", "--json")[1])
    assert again["deployments"] == ["1", "2"]
    assert command("lti", "map", added["id"], "c1", "ds")[0] == 2  # which deployment?
    assert command("lti", "map", added["id"], "c1", "ds", "--deployment", "2")[0] == 0
    assert command("lti", "map", added["id"], "c1", "ds", "--deployment", "3")[0] == 2
    rows = [json.loads(line) for line in command("lti", "contexts", "--json")[1].splitlines()]
    assert [(row["deployment_id"], row["context_id"], row["course_id"]) for row in rows] == [
        ("1", "c1", "ds"),
        ("2", "c1", "ds"),
    ]
    assert command("lti", "unmap", added["id"], "c1", "--deployment", "1")[0] == 0
    assert command("lti", "unmap", added["id"], "c1", "--deployment", "1")[0] == 2
    assert command("lti", "platform", "remove", added["id"])[0] == 0
    assert command("lti", "contexts")[1] == command("lti", "platform", "list")[1] == ""


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--jwks-url", "http://lms.example.org/jwks"),
        ("--jwks-url", "https://127.0.0.1/jwks"),
        ("--jwks-url", "https://169.254.169.254/latest"),
        ("--jwks-url", "https://lms/jwks"),
        ("--jwks-url", "https://user@lms.example.org/"),
        ("--login-url", "javascript:alert(1)"),
        ("--login-url", "https://lms.example.org;x/"),
        ("--token-url", "ftp://lms.example.org"),
        ("--origin", "school.example.org"),
    ],
)
def test_an_address_that_is_not_public_is_refused(command: Vta, option: str, value: str) -> None:
    """The message names the option, and nothing is registered."""
    code, _, err = command(*ADD, option, value)
    assert (code, option in err) == (2, True)
    assert command("lti", "platform", "list")[1] == ""


def test_a_private_address_needs_its_setting(command: Vta, monkeypatch: pytest.MonkeyPatch) -> None:
    """With it a platform next door can be registered, once."""
    local = (*ADD, "--jwks-url", "http://127.0.0.1:9/jwks")
    monkeypatch.setenv("VTA_LTI_PRIVATE_ADDRESSES", "1")
    assert command(*local)[0] == 0
    assert command(*local)[0] == 2


def test_the_tools_addresses_are_printed(command: Vta) -> None:
    """What an engineer enters on the platform."""
    shown = json.loads(command("lti", "tool", "https://vta.example.org/", "--json")[1])
    assert shown["initiate_login_url"] == "https://vta.example.org/lti/login"
    assert shown["public_key_set_url"] == "https://vta.example.org/lti/jwks"
    assert command("lti", "tool", "vta.example.org")[0] == 2


def test_a_registration_is_corrected_and_keeps_its_id(command: Vta) -> None:
    """With its addresses listed; nothing to change, or a private address, is refused."""
    added = json.loads(command(*ADD, "--json")[1])
    edit = ("lti", "platform", "edit", added["id"])
    assert command(*edit)[0] == 2
    assert command(*edit, "--jwks-url", "http://lms.example.org/jwks")[0] == 2
    code, out, err = command(
        *edit, "--jwks-url", "https://lms.example.org/keys", "--client-id", "43", "--json"
    )
    assert code == 0, err
    assert json.loads(out) == added | {"jwks_url": "https://lms.example.org/keys", "client_id": "43"}
    assert "jwks_url: https://lms.example.org/keys" in command("lti", "platform", "list")[1]


def test_a_registration_link_is_of_the_server_that_is_named(command: Vta) -> None:
    """A link anew each time; without an address of the server there is none."""
    links = {command("lti", "invite", "https://vta.example.org/")[1] for _ in range(2)}
    assert len(links) == 2
    assert all(link.startswith("https://vta.example.org/lti/register?invite=") for link in links)
    assert command("lti", "invite")[0] == 2
