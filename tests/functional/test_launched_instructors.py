"""What instructors and teaching assistants who came by an LTI launch may do in the console."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from served_platform import Build, client_of
from small_platform import COURSES
from sql_stores import lti_platform

from services.people.sessions import COOKIE
from services.wiring import Platform

COURSE, _ = COURSES["stacks-en"]
ROOT = f"/console/{COURSE.id}"
WRITES = {
    "inbox/answer": {"action": "preview"},
    "faq/new": {"question": "When is the exam?", "answer": "In week sixteen.", "action": "save"},
    "materials": {},
    "materials/remove": {"path": "x"},
    "materials/plans/x": {"action": "confirm"},
    "materials/passages": {"path": "x", "action": "off"},
    "materials/restore": {"path": "x"},
    "graph/edits": {"kind": "x"},
    "graph/undo": {},
    "settings/thresholds": {"alpha": "", "beta": "0.5"},
    "settings/students": {"refusal": "No."},
    "settings/origins": {"origins": ""},
    "settings/webhook": {"webhook_url": ""},
    "settings/webhook/secret": {},
    "settings/keys/make": {},
    "settings/keys/revoke": {"key": "k"},
    "settings/archive": {"archived": "yes"},
    "people/invite": {"role": "instructor"},
    "people/password": {"person": "p"},
}
OF_ASSISTANTS = {"inbox/answer", "faq/new"}
OF_KEYS = {
    "settings/keys/make",
    "settings/keys/revoke",
    "settings/archive",
    "people/invite",
    "people/password",
}
"""What outlives the launch."""


@pytest.fixture
def platform(build: Build) -> Platform:
    return build()


@pytest.fixture
async def client(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(platform) as client:
        yield client


@pytest.mark.parametrize("is_assistant", [True, False], ids=["assistant", "instructor"])
async def test_a_launch_opens_what_its_role_stands_for(client, platform, is_assistant):
    """Writes beyond it are 403 and change nothing; nothing is made that outlives the launch."""
    known = lti_platform(platform.stores)
    cookie, session = platform.stores.console.open(
        COURSE.id, "LTI 1", platform_id=known.id, is_assistant=is_assistant
    )
    headers = {"Cookie": f"{COOKIE}={cookie}"}
    refused = set()
    for path, fields in WRITES.items():
        form = {"csrf": session.csrf, **fields}
        reply = await client.post(f"{ROOT}/{path}", data=form, headers=headers)
        if reply.status_code == 403 and "your role" in reply.text:
            refused.add(path)
    assert refused == (WRITES.keys() - OF_ASSISTANTS if is_assistant else OF_KEYS)
    assert platform.stores.keys.keys(COURSE.id) == ()
    assert platform.stores.invitations.waiting(COURSE.id) == ()
    settings = await client.get(f"{ROOT}/settings", headers=headers)
    assert settings.status_code == (403 if is_assistant else 200)
    assert 'data-testid="make-key"' not in settings.text
    materials = await client.get(f"{ROOT}/materials", headers=headers)
    assert ('data-testid="upload"' in materials.text) is not is_assistant
    assert ('data-testid="nav-settings"' in materials.text) is not is_assistant
