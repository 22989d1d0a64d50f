"""The instructors' console over a real socket and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import httpx
import pytest
from console_client import token
from served_platform import Served

from vta.types import CourseId, Role

COURSE = "stacks-en"
INBOX = f"/console/{COURSE}/inbox"


def key_of(api: Served, course: str = COURSE, role: Role = Role.INSTRUCTOR) -> str:
    text, _ = api.platform.stores.keys.make(CourseId(course), role)
    return str(text)


@pytest.fixture
def instructor(api: Served) -> Iterator[httpx.Client]:
    with closing(logged_in(api)) as client:
        yield client


def logged_in(api: Served, name: str = "Ann") -> httpx.Client:
    client = httpx.Client(base_url=api.address, trust_env=False, timeout=30.0)
    reply = client.post("/console/log-in", data={"key": key_of(api), "name": name})
    assert (reply.status_code, reply.headers["location"]) == (303, INBOX)
    return client


def test_the_console_is_behind_its_log_in(api):
    """Nobody, a wrong key and a platform's key are shown the log-in page."""
    reply = api.client.get(INBOX)
    assert (reply.status_code, reply.headers["location"]) == (303, f"/console/log-in?next={INBOX}")
    for wrong in ("vta_x", key_of(api, role=Role.PLATFORM)):
        refused = api.client.post("/console/log-in", data={"key": wrong})
        assert refused.status_code == 403
        assert 'role="alert"' in refused.text
        assert "set-cookie" not in refused.headers


def test_a_session_belongs_to_one_course_and_ends(api, instructor):
    """It does not open another course; it ends with log-out, and when its key is revoked (T22)."""
    cookie = instructor.cookies["vta_console"]
    assert instructor.get(INBOX).status_code == 200
    assert instructor.get("/console/stacks-zh/inbox").status_code == 303
    again = instructor.post("/console/log-in", data={"key": key_of(api)})
    assert again.cookies["vta_console"] != cookie
    assert httpx.get(api.address + INBOX, cookies={"vta_console": cookie}).status_code == 303
    instructor.post("/console/log-out")
    assert instructor.get(INBOX).status_code == 303
    with closing(logged_in(api)) as other:
        for key in api.platform.stores.keys.keys(CourseId(COURSE)):
            api.platform.stores.keys.revoke(CourseId(COURSE), key.id)
        assert other.get(INBOX).status_code == 303


def test_the_second_of_two_editors_sees_both_versions(api, instructor):
    """And decides: keep what is there, or replace it by a further version (T52)."""
    csrf = token(instructor.get(f"/console/{COURSE}/faq/new"))
    draft = {"csrf": csrf, "question": "When is the quiz?", "answer": "On Friday.", "action": "save"}
    entry = instructor.post(f"/console/{COURSE}/faq/new", data=draft).headers["location"].split("?")[0]
    with closing(logged_in(api, "Bo")) as bo:
        page = bo.get(entry)
        first = {**draft, "version": "1", "answer": "On Monday."}
        assert instructor.post(entry, data=first).status_code == 303
        second = {**first, "csrf": token(page), "answer": "On Sunday."}
        conflict = bo.post(entry, data=second)
        assert conflict.status_code == 409
        assert "On Monday." in conflict.text
        assert "On Sunday." in conflict.text
        assert bo.post(entry, data={**second, "version": "2"}).status_code == 303
    history = api.platform.stores.faq.history(CourseId(COURSE), entry.rsplit("/", 1)[1])
    assert [(v.editor, v.draft.answer) for v in history] == [
        ("Ann", "On Friday."),
        ("Ann", "On Monday."),
        ("Bo", "On Sunday."),
    ]
