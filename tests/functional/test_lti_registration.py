"""A platform registers itself by a link, as Moodle's button does; without one, it is told what to enter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import moodle_like as moodle
import pytest
from served_platform import Serve, Served

from services.lti.registration import tool_registration
from vta.languages import Language

pytestmark = pytest.mark.settings(lti_private_addresses=True)


@pytest.fixture
def lms() -> Iterator[moodle.MoodleLike]:
    with moodle.MoodleLike() as platform:
        yield platform


def press_add(lms: moodle.MoodleLike, url: str) -> httpx.Response:
    """What the frame shows after "Add LTI Advantage" with this address."""
    start = f"{lms.address}/mod/lti/startltiadvregistration.php"
    return httpx.get(start, params={"url": url}, follow_redirects=True, trust_env=False, timeout=60)


def test_a_link_registers_the_platform_once(api: Served, lms: moodle.MoodleLike) -> None:
    """Its addresses and deployment are kept, the frame is told to close, and a second try is sent away."""
    link = f"{api.address}/lti/register?invite={api.platform.stores.lti_invitations.make()}"
    shown = press_add(lms, link)
    assert shown.status_code == 200, shown.text
    assert "/lti/static/registered.js" in shown.text
    assert "frame-ancestors 'self' *" in shown.headers["content-security-policy"]
    (known,) = api.platform.stores.lti_platforms.platforms()
    assert (known.issuer, known.client_id) == (lms.address, lms.tool["client_id"])
    assert known.deployments == (moodle.DEPLOYMENT,)
    assert known.origins == (lms.address,)
    assert (lms.tool["scope"], lms.tool[moodle.TOOL]["claims"]) == ("", ["iss", "sub"])
    again = press_add(lms, link)
    assert again.status_code == 403
    assert f'value="{api.address}/lti/jwks"' in again.text
    assert len(api.platform.stores.lti_platforms.platforms()) == 1


@pytest.mark.parametrize("path", ["/lti/register", "/lti/launch", "/lti/register?invite=guessed"])
def test_without_a_link_the_frame_says_what_to_enter(api: Served, lms: moodle.MoodleLike, path: str) -> None:
    """Any platform may show it; nothing is registered, and the platform is not even asked."""
    shown = press_add(lms, api.address + path)
    assert shown.status_code in (200, 403)
    assert f'value="{api.address}/lti/login"' in shown.text
    assert "frame-ancestors 'self' *" in shown.headers["content-security-policy"]
    assert not lms.tool
    assert api.platform.stores.lti_platforms.platforms() == ()


def test_a_failed_registration_leaves_the_link_for_another_try(
    api: Served, lms: moodle.MoodleLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration of another server than its issuer's registers nothing; in order again, it does."""
    link = f"{api.address}/lti/register?invite={api.platform.stores.lti_invitations.make()}"
    right = lms._configuration()
    monkeypatch.setattr(lms, "_configuration", lambda: right | {"issuer": "https://other.example"})
    failed = press_add(lms, link)
    assert failed.status_code == 502
    assert "the issuer is not the server" in failed.text
    assert api.platform.stores.lti_platforms.platforms() == ()
    monkeypatch.setattr(lms, "_configuration", lambda: right)
    assert press_add(lms, link).status_code == 200


def test_a_private_platform_is_not_asked_unless_allowed(serve: Serve, lms: moodle.MoodleLike) -> None:
    """The link of a server that allows none asks no address inside the house."""
    api = serve()
    link = f"{api.address}/lti/register?invite={api.platform.stores.lti_invitations.make()}"
    failed = press_add(lms, link)
    assert (failed.status_code, "private_address" in failed.text) == (502, True)


def test_the_first_signed_launch_says_the_deployment_where_none_was_told(
    api: Served, lms: moodle.MoodleLike
) -> None:
    """Canvas tells none at registration; the second deployment is refused as ever."""
    told: dict[str, Any] = lms.registered(api.address) | {"deployments": ()}
    stores = api.platform.stores
    known = stores.lti_platforms.add(**told)
    assert moodle.launch(lms, api.address, moodle.TEACHER).status_code == 200
    assert stores.lti_platforms.platform(known.id).deployments == (moodle.DEPLOYMENT,)
    other = {"iss": lms.address, "login_hint": "1", "lti_deployment_id": "other"}
    assert (
        "wrong_deployment"
        in httpx.post(f"{api.address}/lti/login", data=other, trust_env=False, timeout=60).text
    )


def test_the_tool_asks_for_places_that_the_platform_has() -> None:
    """Canvas needs placements named, Moodle names none."""
    supported = [{"type": "LtiDeepLinkingRequest", "placements": ["link_selection", "editor_button"]}]
    told = tool_registration("https://vta.example", {"messages_supported": supported}, Language.EN)
    resource, deep = told[moodle.TOOL]["messages"]
    assert ("placements" in resource, deep["placements"]) == (False, ["link_selection"])
