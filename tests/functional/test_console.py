"""The instructors' console over a real socket and in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx
import pytest
from console_client import token
from playwright.sync_api import Page, expect
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


def ask(api: Served, question: str) -> dict[str, Any]:
    return dict(api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": question}).json())


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


def test_the_cookie_is_out_of_reach(api):
    """No script reads it, no other site sends it, and the page is in nobody's frame (T24, T25)."""
    reply = api.client.post("/console/log-in", data={"key": key_of(api)})
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/console" in cookie
    policy = api.client.get("/console/log-in").headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "script-src 'self';" in policy


@pytest.mark.parametrize(
    ("headers", "with_token"),
    [
        ({}, False),
        ({"Origin": "https://evil.example"}, True),
        ({"Origin": "null"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, True),
    ],
)
def test_a_write_that_is_not_from_a_page_of_ours_is_refused(api, instructor, headers, with_token):
    """Without the token, or from another site, nothing is written (T24)."""
    csrf = token(instructor.get(f"/console/{COURSE}/faq/new"))
    form = {"question": "q", "answer": "a", "csrf": csrf if with_token else "x"}
    assert instructor.post(f"/console/{COURSE}/faq/new", data=form, headers=headers).status_code == 403
    assert api.platform.stores.faq.entries(CourseId(COURSE)) == ()


def test_json_in_the_place_of_a_form_is_refused(api, instructor):
    """A body that another site could send without asking is not read (T24)."""
    reply = instructor.post(
        f"/console/{COURSE}/faq/new", content="{}", headers={"Content-Type": "text/plain"}
    )
    assert reply.status_code == 403


def test_texts_of_students_and_instructors_are_shown_as_text(api, instructor):
    """Markup in a question, an entry and a name is escaped on every page (T09)."""
    nasty = "<img src=x onerror=alert(1)>"
    turn = ask(api, f"What is a stack {nasty}?")
    waiting = api.client.post(f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/ask-ta").json()["question_id"]
    api.client.post(
        f"/v1/courses/{COURSE}/turns/{turn['turn_id']}/feedback", json={"rating": "down", "comment": nasty}
    )
    csrf = token(instructor.get(f"/console/{COURSE}/faq/new"))
    made = instructor.post(
        f"/console/{COURSE}/faq/new",
        data={"csrf": csrf, "question": nasty, "answer": nasty, "action": "save"},
    )
    for page in (INBOX, f"{INBOX}/answer?q={waiting}", f"/console/{COURSE}/faq", made.headers["location"]):
        shown = instructor.get(page)
        assert shown.status_code == 200
        assert "<img" not in shown.text
        assert "&lt;img" in shown.text


def test_near_duplicates_wait_in_one_group(api, instructor):
    """Two wordings of one question are one card, another question is its own."""
    for question in (
        "Will the final exam cover undo stacks?",
        "Will the final exam cover the undo stacks",
        "Who was Napoleon's cook?",
    ):
        turn = ask(api, question)["turn_id"]
        api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta")
    assert instructor.get(INBOX).text.count('data-testid="group"') == 2


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


@pytest.mark.browser
def test_an_instructor_answers_and_the_next_student_gets_it(api: Served, browser_page: Page) -> None:
    """Log-in, inbox, publish, edit, roll back in the browser; answers change with each."""
    question = "Will the final exam cover undo stacks?"
    turn = ask(api, question)["turn_id"]
    api.client.post(f"/v1/courses/{COURSE}/turns/{turn}/ask-ta")
    browser_page.goto(api.address + INBOX)
    browser_page.get_by_test_id("key").fill(key_of(api))
    browser_page.get_by_test_id("name").fill("Ann")
    browser_page.get_by_test_id("log-in").click()
    browser_page.get_by_test_id("answer").click()
    browser_page.get_by_test_id("answer-text").fill("Yes, chapter 4.")
    browser_page.get_by_test_id("publish").click()
    expect(browser_page.get_by_test_id("group")).to_have_count(0)
    answer = ask(api, question)
    assert (answer["route"], answer["text"][:15]) == ("direct", "Yes, chapter 4.")
    browser_page.get_by_test_id("nav-faq").click()
    browser_page.get_by_role("link", name=question).click()
    browser_page.get_by_test_id("answer-text").fill("No.")
    browser_page.get_by_test_id("save").click()
    expect(browser_page.get_by_test_id("saved")).to_be_visible()
    assert ask(api, question)["text"].startswith("No.")
    browser_page.get_by_test_id("roll-back").click()
    expect(browser_page.get_by_test_id("version")).to_have_count(3)
    assert ask(api, question)["text"].startswith("Yes, chapter 4.")
    browser_page.get_by_test_id("language").click()
    expect(browser_page.get_by_test_id("nav-inbox")).to_have_text("待答")
