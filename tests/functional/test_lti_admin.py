"""The console's page of LTI platforms: registered, checked, mapped, shared and removed by admins alone."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from console_people import account, link_in, log_in
from served_platform import Build

from services.lti.platform_store import LtiContext
from services.people.store import PlatformRole
from services.wiring import Platform

PAGE = "/console/-/platform-lti"
GIVEN = {
    "issuer": "https://lms.example.org",
    "client_id": "42",
    "deployment": "1",
    "login_url": "https://lms.example.org/auth",
    "jwks_url": "https://lms.example.org/jwks",
    "origin": "",
}


@pytest.fixture
def platform(build: Build, request: pytest.FixtureRequest) -> Platform:
    return build(**getattr(request, "param", {}))


@pytest.fixture
async def root(platform: Platform, browser: Any) -> Any:
    """An admin who is logged in."""
    account(platform, "root", role=PlatformRole.ADMIN)
    return await log_in(browser, "root")


async def do(root: Any, action: str, **form: str) -> int:
    """The status of a form; a refusal is on the page."""
    sent = await root.post(f"{PAGE}/{action}", PAGE, **form)
    assert (sent.status_code == 303) == ('data-testid="fault"' not in sent.text)
    return int(sent.status_code)


async def test_a_platform_is_registered_mapped_shared_corrected_and_removed(platform, root):
    """By one form each, and the page shows it."""
    stores = platform.stores
    assert await do(root, "add", **GIVEN) == 303
    (known,) = stores.lti_platforms.platforms()
    assert (known.issuer, known.deployments) == ("https://lms.example.org", ("1",))
    context = {"deployment": f"{known.id} 1", "context": "117"}
    assert await do(root, "map", **context, course="stacks-en") == 303
    ours = LtiContext(platform_id=known.id, deployment_id="1", context_id="117")
    assert stores.lti_platforms.mapped(ours) == "stacks-en"
    assert await do(root, "share", platform=known.id, course="stacks-zh") == 303
    assert stores.lti_shared_courses.shared(known.id) == ("stacks-zh",)
    page = (await root.get(PAGE)).text
    for shown in ("https://lms.example.org/jwks", known.id, ">stacks-en<", "stacks-zh "):
        assert shown in page
    await do(root, "unshare", platform=known.id, course="stacks-zh")
    await do(root, "edit", platform=known.id, jwks_url="https://lms.example.org/keys", deployment="2")
    edited = stores.lti_platforms.platform(known.id)
    assert (edited.jwks_url, edited.client_id) == ("https://lms.example.org/keys", "42")
    assert edited.deployments == ("1", "2")
    assert (await do(root, "unmap", **context), await do(root, "unmap", **context)) == (303, 404)
    assert (await do(root, "remove", platform=known.id), stores.lti_platforms.platforms()) == (303, ())
    assert stores.lti_shared_courses.shared(known.id) == stores.lti_platforms.contexts() == ()


async def test_what_is_wrong_is_said_and_changes_nothing(platform, root):
    """A second registration, a course that is named nowhere, keys that cannot be had."""
    assert [await do(root, "add", **GIVEN) for _ in range(2)] == [303, 409]
    (known,) = platform.stores.lti_platforms.platforms()
    assert await do(root, "map", deployment=f"{known.id} 1", context=" ", course="stacks-en") == 422
    platform.stores.lti_platforms.edit(known.id, {"jwks_url": "https://127.0.0.1/jwks"})
    checked = await root.post(f"{PAGE}/check", PAGE, platform=known.id)
    assert (checked.status_code, "VTA_LTI_PRIVATE_ADDRESSES" in checked.text) == (503, True)


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
async def test_an_address_that_is_not_public_is_refused(platform, root, field, value):
    """What was typed stays, and nothing is registered."""
    refused = await root.post(f"{PAGE}/add", PAGE, **{**GIVEN, field: value})
    assert (refused.status_code, f'value="{value}"' in unescape(refused.text)) == (422, True)
    assert platform.stores.lti_platforms.platforms() == ()


@pytest.mark.parametrize("platform", [{"lti_private_addresses": True}], indirect=True)
async def test_a_private_address_needs_its_setting(platform, root):
    """With it a platform next door can be registered; the origins of its pages come first."""
    local = {**GIVEN, "jwks_url": "http://127.0.0.1:9/jwks", "origin": "https://school.example.org/x"}
    assert await do(root, "add", **local) == 303
    (known,) = platform.stores.lti_platforms.platforms()
    assert known.origins == ("https://school.example.org", "https://lms.example.org")


async def test_a_registration_link_is_shown_once(platform, root):
    """It registers one platform, and the page itself does not know it any more."""
    link = link_in(await root.post(f"{PAGE}/invite", PAGE))
    assert re.search(r"/lti/register\?invite=[\w-]{40,}$", link)
    page = (await root.get(PAGE)).text
    assert (link in page, "Links not used yet: 1." in page) == (False, True)
    invitations = platform.stores.lti_invitations
    assert [invitations.use(link.partition("=")[2]) for _ in range(2)] == [True, False]


async def test_nobody_but_an_admin_sends_a_form(platform, browser, root):
    """Neither a creator with a token of their own, nor an admin without one."""
    account(platform, "cy", role=PlatformRole.CREATOR)
    cy = await log_in(browser, "cy")
    for action in ("invite", "check", "add", "edit", "remove", "map", "unmap", "share", "unshare"):
        assert (await cy.post(f"{PAGE}/{action}", "/console/-/account", **GIVEN)).status_code == 403, action
        assert (await root.post(f"{PAGE}/{action}", **GIVEN)).status_code == 403, action
    assert platform.stores.lti_platforms.platforms() == ()
    assert platform.stores.lti_invitations.waiting() == 0
