"""The page of test questions in a browser: by keyboard, on a phone, in both languages, under axe-core."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_core import AXE, RUN
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
QUESTIONS = {"stacks-en": "How do editors undo?", "stacks-zh": "编辑器怎样撤销？"}


def check(page: Page) -> None:
    """Nothing is wider than the screen, and axe-core finds nothing."""
    assert not page.evaluate(WIDE)
    script = Path(os.environ.get("VTA_TEST_AXE", AXE))
    if script.exists():
        page.evaluate(script.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == []


def press(page: Page, testid: str) -> None:
    """Press a button or follow a link by the keyboard."""
    page.get_by_test_id(testid).focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def refresh_until_run(page: Page) -> None:
    """Read the page again until no run waits."""
    while page.get_by_test_id("waits").count():
        page.wait_for_timeout(200)
        page.reload()


@pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])
def test_a_question_is_kept_seen_to_get_worse_and_accepted_by_keyboard_on_a_phone(
    api: Served, browser_page: Page, course: str
) -> None:
    """From the answer that was tried: an entry takes its place, the page says so, one press accepts it."""
    page, question = browser_page, QUESTIONS[course]
    page.set_viewport_size({"width": 390, "height": 800})
    open_console(api, page, "preview", course)
    if course.endswith("zh"):
        page.goto(f"{api.address}/console/language/zh?next=/console/{course}/preview")
    page.get_by_test_id("question").fill(question)
    press(page, "ask")
    check(page)
    press(page, "keep-test")
    expect(page.get_by_test_id("saved")).to_be_focused()
    check(page)
    refresh_until_run(page)
    expect(page.get_by_test_id("summary")).to_contain_text("1")
    expect(page.get_by_test_id("worse")).to_have_count(0)
    api.platform.faq.add(CourseId(course), FaqDraft(question=question, answer="Ctrl+Z."), editor="Ann")
    page.reload()
    refresh_until_run(page)
    expect(page.get_by_test_id("worse")).to_be_visible()
    expect(page.get_by_test_id("test")).to_contain_text("Ctrl+Z.")
    check(page)
    press(page, "accept")
    refresh_until_run(page)
    expect(page.get_by_test_id("accept")).to_have_count(0)
    press(page, "edit")
    expect(page.get_by_test_id("question")).to_be_focused()
    press(page, "remove")
    expect(page.get_by_test_id("test")).to_have_count(0)
    check(page)
