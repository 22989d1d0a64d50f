"""A teacher's way in a real browser: a figure, its questions, one conversation, an entry, tried, live."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from served_platform import Serve

from vta.types import CourseId, Role

COURSE = CourseId("stacks-en")
QUESTION = "Which pen may I bring to the final exam?"

pytestmark = pytest.mark.browser


def test_from_a_figure_to_an_answer_that_is_live(serve: Serve, browser_page: Page) -> None:
    """Six students get no answer; the seventh does, by what the teacher wrote from one conversation."""
    api, page = serve(), browser_page

    def ask(learner: str) -> str:
        body = {"question": QUESTION, "learner_id": learner}
        return str(api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body).json()["text"])

    for n in range(6):
        ask(f"learner-{n}")
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}/console/{COURSE}/analytics")
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("log-in").click()
    page.get_by_test_id("plot-top_questions").get_by_role("link", name=QUESTION).click()
    expect(page.get_by_test_id("conversation")).to_have_count(6)
    page.get_by_test_id("open").first.click()
    turn = page.get_by_test_id("turn")
    expect(turn.locator("h2")).to_have_text(QUESTION)
    assert "learner-" not in page.content()
    turn.get_by_test_id("write-entry").click()
    expect(page.get_by_test_id("question")).to_have_value(QUESTION)
    page.get_by_test_id("answer-text").fill("Any blue pen.")
    page.get_by_test_id("try-draft").click()
    expect(page.get_by_test_id("answer-title")).to_be_focused()
    expect(page.get_by_test_id("answer-then")).to_contain_text("Any blue pen.")
    expect(page.get_by_test_id("answer")).not_to_contain_text("Any blue pen.")
    expect(page.get_by_test_id("numbers")).to_be_hidden()
    page.get_by_test_id("details").locator("summary").click()
    expect(page.get_by_test_id("numbers")).to_be_visible()
    page.get_by_test_id("save-draft").click()
    expect(page.get_by_test_id("saved")).to_be_visible()
    assert "Any blue pen." in ask("learner-7")
    page.get_by_test_id("nav-conversations").click()
    expect(page.get_by_test_id("open").first).to_have_text(QUESTION)
    page.get_by_test_id("outcome").select_option("direct")
    page.get_by_test_id("show").click()
    expect(page.get_by_test_id("too-few")).to_be_visible()
