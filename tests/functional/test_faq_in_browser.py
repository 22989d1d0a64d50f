"""The FAQ in a real browser: imported, undone, changed together, removed and restored, seen as written."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types import CourseId, FaqDraft, Role

COURSE = CourseId("stacks-en")
FAQ = f"/console/{COURSE}/faq"
TABLE = """Frequently asked questions;;
Spring 2025;;

;Question;Answer;Category
;When is the exam?;On Friday.;exams
;Who grades the homework?;"Bo does.
Every week.";people
;who grades the homework;Ann.;people
;Where is the exam?;In room 4.;exams
"""

pytestmark = pytest.mark.browser


def answer_to(api: Served, question: str) -> str:
    reply = api.client.post(f"/v1/courses/{COURSE}/dialogue", json={"question": question}).json()
    return str(reply["text"])


def test_a_table_is_imported_undone_and_its_entries_are_changed_together(
    api: Served, browser_page: Page
) -> None:
    """The whole way of an instructor; students get what is live at each step."""
    page, faq = browser_page, api.platform.faq
    faq.add(COURSE, FaqDraft(question="When is the exam?", answer="On Monday."), editor="Bo")
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}{FAQ}")
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("name").fill("Ann")
    page.get_by_test_id("log-in").click()

    page.get_by_test_id("import").click()
    file = {"name": "FAQ Spring.csv", "mimeType": "text/csv", "buffer": TABLE.encode("utf-16")}
    page.get_by_test_id("table").set_input_files(files=[file])  # type: ignore[list-item]
    page.get_by_test_id("try").click()
    expect(page.get_by_test_id("table-name")).to_have_text("FAQ Spring.csv")
    expect(page.get_by_test_id("rejected")).to_contain_text("Row 7")
    expect(page.get_by_test_id("rejected")).to_contain_text("Same question as row 6")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("imported")).to_contain_text("2 new, 1 changed")
    assert "On Friday." in answer_to(api, "When is the exam?")
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("undone")).to_contain_text("3")
    assert "On Monday." in answer_to(api, "When is the exam?")
    assert len(api.platform.stores.faq.entries(COURSE)) == 1

    faq.add(COURSE, FaqDraft(question="Where is the exam?", answer="In room 4."), editor="Bo")
    page.get_by_test_id("nav-faq").click()
    page.get_by_test_id("choose-all").check()
    expect(page.get_by_role("form").locator("[data-chosen]")).to_have_text("2")
    page.get_by_test_id("to-category").fill("exams")
    page.get_by_test_id("set-category").click()
    expect(page.get_by_test_id("asks")).to_have_text("Set the category “exams” for entries: 2?")
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("changed")).to_contain_text("Category set to “exams”: 2.")
    page.get_by_test_id("filter-category").select_option("exams")
    page.get_by_role("search").get_by_role("button").click()
    expect(page.get_by_test_id("entry")).to_have_count(2)

    page.get_by_test_id("choose").first.check()
    page.get_by_test_id("remove-chosen").click()
    page.get_by_test_id("confirm").click()
    expect(page.get_by_test_id("changed")).to_contain_text("Removed: 1.")
    expect(page.get_by_test_id("entry")).to_have_count(1)
    page.get_by_test_id("show-removed").click()
    page.get_by_test_id("restore").first.click()
    expect(page.get_by_test_id("saved")).to_be_visible()
    assert {entry.draft.question for entry in api.platform.stores.faq.entries(COURSE)} >= {
        "When is the exam?",
        "Where is the exam?",
    }
    page.goto(f"{api.address}{FAQ}/changes")
    expect(page.get_by_test_id("batch")).to_have_count(3)


def test_an_answer_is_seen_while_it_is_written(api: Served, browser_page: Page) -> None:
    """Beside the field, sanitised; a removal tells what was removed, and one press brings it back."""
    page = browser_page
    entry = api.platform.faq.add(COURSE, FaqDraft(question="Why a stack?", answer="So."), editor="Bo")
    key, _ = api.platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{api.address}{FAQ}/{entry.id}")
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("log-in").click()
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
