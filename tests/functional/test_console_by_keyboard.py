"""The instructors' console by keyboard alone: Tab, Enter, Space and arrows; and what the replay marks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from console_people import PASSWORD, account
from console_tour import ASKED, COURSES, ENTRIES, NEW_ANSWERS
from playwright.sync_api import Page, expect
from served_platform import Serve, Served

from services.people.store import PlatformRole
from vta.languages import Language
from vta.types.courses import Role

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FOCUS = """() => {
  const at = document.activeElement, box = at.getBoundingClientRect(), style = getComputedStyle(at);
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  return { id: at.dataset.testid ?? "", text: at.textContent.trim(), body: at === document.body,
    visible: drawn && inside && box.width > 0 };
}"""
LANGUAGE = Language.EN
COURSE = COURSES[LANGUAGE]
MOST_TABS = 80


class Keyboard:
    """Walks by Tab; every stop has to be seen."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def focus(self) -> dict[str, Any]:
        """Where the focus is; a page that was just opened has it nowhere."""
        found: dict[str, Any] = self.page.evaluate(FOCUS)
        assert found["body"] or found["visible"], found
        return found

    def go_to(self, name: str, text: str = "", key: str = "Tab") -> None:
        """Tab on, or back, to the control of this test id and text."""
        for _ in range(MOST_TABS):
            self.page.keyboard.press(key)
            found = self.focus()
            if found["id"] == name and text in found["text"]:
                return
        pytest.fail(f"{name} {text!r} is not reached by Tab on {self.page.url}")

    def write(self, name: str, text: str) -> None:
        """Put a text in the place of a field's."""
        self.go_to(name)
        self.page.keyboard.press("ControlOrMeta+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.type(text)

    def press(self, name: str, text: str = "", key: str = "Enter") -> None:
        """Reach a button or link, press it, and wait for the page that it opens."""
        self.go_to(name, text)
        with self.page.expect_navigation():
            self.page.keyboard.press(key)

    def lands_on(self, name: str) -> None:
        """After a form the focus is on what the page says about it, and is seen."""
        expect(self.page.get_by_test_id(name)).to_be_focused()
        assert self.focus()["visible"]


def test_the_console_needs_no_mouse(sample_courses: Served, browser_page: Page) -> None:
    """Log in, answer a group, search and edit an entry, try it out, settings, log out.

    The focus is seen at every step, and after every form on what the page says about it.
    """
    page, keys = browser_page, Keyboard(browser_page)
    stores = sample_courses.platform.stores
    key, _ = stores.keys.make(COURSE, Role.INSTRUCTOR)
    page.goto(f"{sample_courses.address}/console/{COURSE}/inbox")
    keys.write("key", str(key))
    keys.write("name", "Ann")
    keys.press("log-in")

    page.keyboard.press("Tab")
    assert keys.focus()["text"] == "Skip to content"
    page.keyboard.press("Enter")
    keys.go_to("fold", "Not in the course")
    page.keyboard.press("Space")
    group = page.get_by_test_id("band-discard").get_by_test_id("group").first
    expect(group).to_be_visible()
    question = group.locator(".question").inner_text()
    keys.press("answer")
    keys.write("answer-text", "Chapters one to six.")
    keys.press("publish", key="Space")
    keys.lands_on("settled")
    assert any(entry.draft.question == question for entry in stores.faq.entries(COURSE))

    keys.press("nav-faq")
    keys.write("search", "calculator")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_test_id("search")).to_be_focused()
    keys.press("open-entry", ENTRIES[LANGUAGE].question)
    keys.write("answer-text", NEW_ANSWERS[LANGUAGE])
    keys.press("replay")
    keys.lands_on("replay-title")
    keys.go_to("save", key="Shift+Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    keys.lands_on("saved")

    keys.press("nav-settings")
    keys.write("beta", "-1")
    keys.press("save")
    keys.lands_on("fault")
    keys.write("beta", "")
    keys.press("save")
    keys.lands_on("saved")

    keys.press("nav-analytics")
    keys.press("review")
    page.goto(f"{page.url}?day={datetime.now(UTC).date()}")
    keys.go_to("mark-good")
    page.keyboard.press("ArrowDown")
    assert keys.focus()["id"] == "mark-partly"
    keys.press("save")
    keys.lands_on("saved")
    keys.press("nav-preview")
    keys.write("question", ASKED[LANGUAGE][3])
    keys.press("ask")
    keys.lands_on("answer-title")
    keys.press("log-out")
    expect(page.get_by_test_id("key")).to_be_visible()


def test_the_platform_needs_no_mouse_on_a_phone(serve: Serve, browser_page: Page) -> None:
    """From my courses to a person's new role, and to the entry that tells of it."""
    api, page, keyboard = serve(), browser_page, Keyboard(browser_page)
    account(api.platform, "root", role=PlatformRole.ADMIN)
    bo = account(api.platform, "bo")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{api.address}/console/log-in")
    keyboard.write("email", "root@uni.example")
    keyboard.write("password", PASSWORD)
    keyboard.press("log-in-account")
    keyboard.press("platform")
    keyboard.press("nav-people")
    keyboard.write("search", "bo@uni")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.get_by_test_id("person").count() == 1
    keyboard.go_to("role")
    page.keyboard.press("ArrowDown")
    keyboard.press("change-role")
    keyboard.lands_on("done")
    assert api.platform.stores.people.person(bo.id).role is PlatformRole.CREATOR
    keyboard.press("nav-log")
    expect(page.get_by_test_id("logged").first).to_contain_text("Role on the platform changed")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
