"""The instructors' console over a real socket and in a real browser."""

from __future__ import annotations

import httpx
import pytest
from console_client import logged_in, token

from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
INBOX = f"/console/{COURSE}/inbox"


def test_the_console_is_behind_its_log_in(api):
    """Nobody, a wrong key and a platform's key are shown the log-in page."""
    reply = api.client.get(INBOX)
    assert (reply.status_code, reply.headers["location"]) == (303, f"/console/log-in?next={INBOX}")
    for wrong in ("vta_x", api.key(Role.PLATFORM)):
        refused = api.client.post("/console/log-in", data={"key": wrong})
        assert refused.status_code == 403
        assert 'role="alert"' in refused.text
        assert "set-cookie" not in refused.headers


def test_a_session_belongs_to_one_course_and_ends(api, ann):
    """It does not open another course; it ends with log-out, and when its key is revoked (T22)."""
    cookie = ann.cookies["vta_console"]
    assert ann.get(INBOX).status_code == 200
    assert ann.get("/console/stacks-zh/inbox").status_code == 303
    again = ann.post("/console/log-in", data={"key": api.key()})
    assert again.cookies["vta_console"] != cookie
    assert httpx.get(api.address + INBOX, cookies={"vta_console": cookie}).status_code == 303
    ann.post("/console/log-out")
    assert ann.get(INBOX).status_code == 303
    with logged_in(api) as other:
        for key in api.platform.stores.keys.keys(CourseId(COURSE)):
            api.platform.stores.keys.revoke(CourseId(COURSE), key.id)
        assert other.get(INBOX).status_code == 303


@pytest.mark.fault(case="T52")
def test_the_second_of_two_editors_sees_both_versions(api, ann):
    """And decides: keep what is there, or replace it by a further version (T52)."""
    csrf = token(ann.get(f"/console/{COURSE}/faq/new"))
    draft = {"csrf": csrf, "question": "When is the quiz?", "answer": "On Friday.", "action": "save"}
    entry = ann.post(f"/console/{COURSE}/faq/new", data=draft).headers["location"].split("?")[0]
    with logged_in(api, name="Bo") as bo:
        page = bo.get(entry)
        first = {**draft, "version": "1", "answer": "On Monday."}
        assert ann.post(entry, data=first).status_code == 303
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
