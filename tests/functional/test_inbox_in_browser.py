"""The inbox in a real browser: single keys, and what is done with several groups."""

from __future__ import annotations

import pytest
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types.courses import CourseId

COURSE = CourseId("stacks-en")
QUESTIONS = ("Will the final exam cover undo stacks?", "May the final exam cover editors?", "Do stacks grow?")

pytestmark = pytest.mark.browser


def open_inbox(api: Served, page: Page, query: str = "") -> None:
    for question in QUESTIONS:
        api.ask_ta(question)
    open_console(api, page, f"inbox{query}")


def test_the_inbox_is_worked_by_single_keys(api: Served, browser_page: Page) -> None:
    """j, k, x, / and Enter; in a field they are letters, and they can be switched off."""
    page = browser_page
    open_inbox(api, page)
    groups = page.get_by_test_id("group").locator("visible=true")
    chosen = page.locator('[name="group"]:checked')
    for key in ("j", "j", "k", "x", "j", "x"):
        page.keyboard.press(key)
    expect(groups.nth(1)).to_be_focused()
    expect(chosen).to_have_count(2)
    expect(page.locator("[data-chosen]")).to_have_text("2 chosen:")
    page.keyboard.press("/")
    search = page.get_by_test_id("search")
    expect(search).to_be_focused()
    page.keyboard.type("jxk")
    expect(search).to_have_value("jxk")
    search.blur()
    page.keyboard.press("j")
    question = groups.first.locator(".question").inner_text()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("question")).to_have_value(question)
    page.go_back()
    page.get_by_test_id("keys").locator("summary").click()
    page.get_by_test_id("keys-on").uncheck()
    page.keyboard.press("j")
    expect(page.get_by_test_id("keys-on")).to_be_focused()


def test_several_groups_are_chosen_and_declined(api: Served, browser_page: Page) -> None:
    """All of a page by one click, once it is confirmed: six from the log-in to an empty band."""
    page = browser_page
    open_inbox(api, page)
    page.get_by_test_id("fold").click()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_test_id("choose-all").check()
    page.get_by_test_id("reason").fill("Please ask in the forum.")
    page.get_by_test_id("reject-chosen").click()
    expect(page.get_by_test_id("settled")).to_be_focused()
    expect(page.get_by_test_id("group")).to_have_count(0)


def test_the_head_is_low_on_a_phone_and_what_is_done_with_groups_stands_in_one_row(
    api: Served, browser_page: Page
) -> None:
    """The parts of the console are one row that scrolls; all buttons for groups fit into 1280 pixels."""
    page = browser_page
    page.set_viewport_size({"width": 1280, "height": 800})
    api.ask_ta("When is the homework due?")
    open_inbox(api, page)
    expect(page.get_by_test_id("publish-chosen")).to_be_visible()
    first, last = (page.get_by_test_id(each).bounding_box() for each in ("together", "reject-chosen"))
    assert first is not None
    assert last is not None
    assert first["y"] == last["y"]
    page.set_viewport_size({"width": 375, "height": 740})
    header = page.locator("header").bounding_box()
    assert header is not None
    assert header["height"] < 120
    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_a_question_is_published_with_a_capital_letter(api: Served, browser_page: Page) -> None:
    """As the student typed it otherwise; the list of entries shows no Markdown."""
    page = browser_page
    api.ask_ta("can i bring my iPad?")
    open_inbox(api, page, "?search=ipad")
    page.get_by_test_id("fold").click()
    page.get_by_test_id("answer").first.click()
    expect(page.get_by_test_id("question")).to_have_value("Can i bring my iPad?")
    page.get_by_test_id("answer-text").fill("**No**, it stays outside.")
    page.get_by_test_id("publish").click()
    page.goto(f"{api.address}/console/{COURSE}/faq")
    expect(page.locator("main")).to_contain_text("No, it stays outside.")
    expect(page.locator("main")).not_to_contain_text("**No**")
