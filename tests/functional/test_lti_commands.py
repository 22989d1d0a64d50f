"""`vta lti` from the shell: the link by which a platform registers itself, and whether its keys are there."""

from __future__ import annotations

from command_lines import Vta
from served_platform import Serve

from services.lti.registration import add_platform


def test_a_registration_link_is_of_the_server_that_is_named(command: Vta) -> None:
    """A link anew each time; without an address of the server there is none."""
    links = {command("lti", "invite", "https://vta.example.org/")[1] for _ in range(2)}
    assert len(links) == 2
    assert all(link.startswith("https://vta.example.org/lti/register?invite=") for link in links)
    assert command("lti", "invite")[0] == 2


def test_a_check_says_what_stands_in_the_way(command: Vta, serve: Serve) -> None:
    """Exit 1 with the cause; an unknown platform is exit 2."""
    api = serve()
    given = {
        "issuer": "https://lms.example",
        "client_id": "42",
        "login_url": "https://lms.example/auth",
        "jwks_url": "https://lms.example/jwks",
    }
    known = add_platform(api.platform, given, origins=(), deployments=["1"], label=str)
    api.platform.stores.lti_platforms.edit(known.id, {"jwks_url": "https://127.0.0.1/jwks"})
    home = str(api.platform.settings.home)
    checked = command("lti", "check", known.id, home=home)
    assert (checked.code, "VTA_LTI_PRIVATE_ADDRESSES" in checked.err) == (1, True)
    assert command("lti", "check", "none", home=home).code == 2
