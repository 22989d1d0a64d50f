"""The FAQ in a real browser: chosen together, imported, seen as it is written, removed and restored."""

from __future__ import annotations

import pytest
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types.courses import CourseId
from vta.types.faq import FaqDraft

COURSE = CourseId("stacks-en")
pytestmark = pytest.mark.browser


def test_entries_are_chosen_together(api: Served, browser_page: Page) -> None:
    """All by one box, with how many they are; what is done with them asks first."""
    page, faq = browser_page, api.platform.faq
    for question in ("When is the exam?", "Where is the exam?"):
        faq.add(COURSE, FaqDraft(question=question, answer="On Monday."), editor="Bo")
    open_console(api, page, "faq")
    page.get_by_test_id("choose-all").check()
    expect(page.get_by_role("form").locator("[data-chosen]")).to_have_text("2 chosen:")
    page.get_by_test_id("choose").first.uncheck()
    expect(page.get_by_role("form").locator("[data-chosen]")).to_have_text("1 chosen:")
    page.get_by_test_id("to-category").fill("exams")
    page.get_by_test_id("set-category").click()
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("changed")).to_contain_text("Category set to “exams”: 1.")


def test_an_import_says_that_it_is_under_way(api: Served, browser_page: Page) -> None:
    """From the click on; a second click sends nothing."""
    open_console(api, browser_page, "faq/import")
    rows = b"question,answer\nWhen is it?,On Friday.\n"
    browser_page.locator("[name=table]").set_input_files([{"name": "f.csv", "mimeType": "", "buffer": rows}])
    with browser_page.expect_event("load"):
        browser_page.get_by_test_id("try").click()
    browser_page.evaluate(
        """() => {
          window.sent = 0;
          document.addEventListener("submit", (event) => {
            if (!event.defaultPrevented) window.sent += 1;
            event.preventDefault(); // stay on the page
          });
        }"""
    )
    expect(browser_page.get_by_test_id("importing")).to_be_hidden()
    for _ in range(2):
        browser_page.get_by_test_id("confirm").click()
        expect(browser_page.get_by_test_id("importing")).to_be_visible()
    assert browser_page.evaluate("window.sent") == 1


def test_an_answer_is_seen_while_it_is_written(api: Served, browser_page: Page) -> None:
    """Beside the field, sanitised; a removal tells what was removed, and one press brings it back."""
    page = browser_page
    entry = api.platform.faq.add(COURSE, FaqDraft(question="Why a stack?", answer="So."), editor="Bo")
    open_console(api, page, f"faq/{entry.id}")
    rendered = page.get_by_test_id("rendered")
    expect(rendered).to_have_text("So.")
    page.get_by_test_id("answer-text").fill("**Because**\n\n- one\n- two <img src=x onerror=alert(1)>")
    expect(rendered.locator("strong")).to_have_text("Because")
    expect(rendered.locator("li")).to_have_count(2)
    expect(rendered.locator("img")).to_have_count(0)
    page.get_by_test_id("remove").click()
    expect(page.get_by_test_id("removed")).to_contain_text("Why a stack?")
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("saved")).to_be_visible()
    assert [each.draft.answer for each in api.platform.stores.faq.entries(COURSE)] == ["So."]
