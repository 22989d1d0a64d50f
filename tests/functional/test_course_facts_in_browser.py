"""The page of a course's facts in a browser: by keyboard, on a phone, in both languages, under axe-core."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_core import AXE, RUN
from console_client import open_console
from playwright.sync_api import Page, expect
from served_platform import Served

from vta.types.courses import CourseId

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def keys(page: Page, *texts: str) -> None:
    """Type each text and go on to the next field."""
    for text in texts:
        page.keyboard.type(text)
        page.keyboard.press("Tab")


@pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])
def test_a_fact_is_written_and_removed_by_keyboard_on_a_phone(
    api: Served, browser_page: Page, course: str
) -> None:
    """Nothing is wider than the screen, and axe-core finds nothing."""
    page = browser_page
    page.set_viewport_size({"width": 390, "height": 800})
    open_console(api, page, "facts", course)
    expect(page.locator("h1")).to_contain_text("课程信息" if course.endswith("zh") else "Course facts")
    page.get_by_test_id("new").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("kind")).to_be_focused()
    keys(page, "", "Homework 3", "", "2036-12-04 23:59", "", "Room 5", "Bring paper.", "https://a.example")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("saved")).to_be_focused()
    expect(page.get_by_test_id("fact")).to_contain_text("2036-12-04 23:59")
    assert not page.evaluate(WIDE)
    script = Path(os.environ.get("VTA_TEST_AXE", AXE))
    if script.exists():
        page.evaluate(script.read_text(encoding="utf-8"))
        assert page.evaluate(RUN) == []
    page.get_by_test_id("edit").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("name")).to_be_focused()
    expect(page.get_by_test_id("begins")).to_have_value("2036-12-04 23:59")
    page.get_by_test_id("remove").focus()
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("fact")).to_have_count(0)
    assert api.platform.stores.facts.facts(CourseId(course)).facts == ()
