"""A student's conversations: listed, kept over tabs, reloads and devices, edited, asked again, deleted."""

from __future__ import annotations

import re

import pytest
from chromium import Chromium, ask
from playwright.sync_api import Page, Route, expect
from served_platform import Serve

from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
ROOT = f"/v1/courses/{COURSE}"


def test_a_learner_is_told_their_own_conversations_alone(serve: Serve) -> None:
    """The latest first, by their first question; someone without a token is told none."""
    api = serve()
    ann, bob = api.learner("ann"), api.learner("bob")

    def ask(question: str, headers: dict[str, str], session: str | None = None) -> str:
        return str(api.ask(question, headers=headers, session_id=session)["session_id"])

    def listed(headers: dict[str, str]) -> list[str]:
        found = api.client.get(f"{ROOT}/sessions", headers=headers).json()["sessions"]
        return [each["title"] for each in found]

    first = ask("What is a stack?", ann)
    ask("What is a queue?", ann)
    ask("What is a deque?", bob)
    assert listed(ann) == ["What is a queue?", "What is a stack?"]
    ask("Why?", ann, first)
    assert listed(ann) == ["What is a stack?", "What is a queue?"]
    assert listed(bob) == ["What is a deque?"]
    ask("Who am I?", {})
    assert listed({}) == []
    assert api.client.get(f"{ROOT}/sidebar", headers=ann).json()["signed_in"] is True
    assert api.client.get(f"{ROOT}/sidebar").json()["signed_in"] is False


@pytest.mark.browser
def test_a_new_chat_deletes_nothing_and_every_tab_lists_what_was_asked(
    serve: Serve, browser_page: Page
) -> None:
    """A second tab goes on with an earlier conversation, also after a reload; deleting asks once more."""
    api, page = serve(), browser_page
    page.goto(f"{api.address}/courses/{COURSE}")
    ask(page, "What is a stack?")
    page.get_by_test_id("new-conversation").click()
    ask(page, "What is a queue?")
    other = page.context.new_page()
    other.goto(f"{api.address}/courses/{COURSE}")
    other.get_by_test_id("history").click()
    past = other.get_by_test_id("history-open")
    expect(past.locator(".title")).to_have_text(["What is a queue?", "What is a stack?"])
    past.nth(1).click()
    expect(other.get_by_test_id("question")).to_have_text(["What is a stack?"])
    ask(other, "Give me an example")
    other.reload()
    expect(other.get_by_test_id("question")).to_have_text(["What is a stack?", "Give me an example"])

    other.get_by_test_id("history").click()
    delete = other.get_by_test_id("history-delete").first
    delete.click()
    expect(delete).to_have_text("Delete?")
    with other.expect_response(lambda reply: reply.request.method == "DELETE") as deleted:
        delete.click()
    assert deleted.value.status == 204
    expect(other.get_by_test_id("welcome")).to_be_visible()
    other.get_by_test_id("history").click()
    expect(past.locator(".title")).to_have_text(["What is a queue?"])


@pytest.mark.browser
def test_a_learner_goes_on_in_a_second_browser_and_leaves_nothing_in_it(
    serve: Serve, chromium: Chromium
) -> None:
    """What a learner who is signed in asked is the server's to list, and no browser's."""
    api = serve()
    with chromium.use() as browser:
        for number in range(2):
            context = browser.new_context(extra_http_headers=api.learner("ann"), locale="en")
            page = context.new_page()
            page.goto(f"{api.address}/courses/{COURSE}")
            if number:
                page.get_by_test_id("history").click()
                page.get_by_test_id("history-open").click()
                expect(page.get_by_test_id("question")).to_have_text(["What is a stack?"])
            else:
                ask(page, "What is a stack?")
            assert "stack?" not in page.evaluate("JSON.stringify({...localStorage})")
            context.close()


@pytest.mark.browser
def test_a_learner_who_looks_back_at_once_finds_what_they_asked(serve: Serve, chromium: Chromium) -> None:
    """Though the sidebar does not know yet that they are signed in."""
    api = serve()
    headers = api.learner("ann")
    api.ask("What is a stack?", headers=headers)
    held: list[Route] = []
    with chromium.use() as browser:
        page = browser.new_context(extra_http_headers=headers, locale="en").new_page()
        page.route(f"**{ROOT}/sidebar*", lambda route: held.append(route))
        with page.expect_request(f"**{ROOT}/sidebar*"):
            page.goto(f"{api.address}/courses/{COURSE}")
        page.get_by_test_id("history").click()
        expect(page.get_by_test_id("history")).to_have_attribute("aria-expanded", "true")
        held[0].continue_()
        expect(page.get_by_test_id("history-open")).to_have_text([re.compile("What is a stack")])


@pytest.mark.browser
def test_a_question_is_edited_and_asked_again(serve: Serve, browser_page: Page) -> None:
    """Its words go back into the box; asking again adds a turn."""
    page = browser_page
    page.goto(f"{serve().address}/courses/{COURSE}")
    ask(page, "What is a stack?")
    page.get_by_test_id("turn").hover()
    page.get_by_test_id("edit").click()
    expect(page.get_by_test_id("question-input")).to_have_value("What is a stack?")
    expect(page.get_by_test_id("question-input")).to_be_focused()
    page.get_by_test_id("ask-again").click()
    expect(page.get_by_test_id("question")).to_have_text(["What is a stack?"] * 2)
