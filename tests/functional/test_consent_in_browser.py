"""A study is set in the console and decided on in the sidebar: by keyboard, on a phone, in both languages."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from axe_core import AXE, RUN
from chromium import Chromium, ask
from console_client import open_console
from playwright.sync_api import Page, Route, expect
from served_platform import Serve, Served

from vta.types.courses import CourseId

QUESTIONS = {
    "stacks-en": ("What is a stack?", "Why is it used?"),
    "stacks-zh": ("什么是栈？", "为什么用它？"),
}
STUDY = "How students ask.\nKept for a year. " + "long" * 100

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def consents(api: Served, course: str) -> list[bool]:
    """What Ann decided, if she did."""
    told = api.client.get(f"/v1/courses/{course}/learners/ann", headers=api.bearer(course=course)).json()
    decided = told["research_consent"]
    return [decided["given"]] if decided else []


def check(page: Page, name: str) -> None:
    """Nothing overflows on a desktop or at 390 px, and axe finds no fault."""
    axe = Path(os.environ.get("VTA_TEST_AXE", AXE))
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        if folder := os.environ.get("VTA_TEST_PICTURES"):
            page.screenshot(path=Path(folder) / f"{name}-{width}.png")
        if axe.exists():
            page.evaluate(axe.read_text(encoding="utf-8"))
            assert page.evaluate(RUN) == []


@pytest.mark.parametrize("course", QUESTIONS)
def test_a_learner_is_asked_after_an_answer_and_decides_by_keyboard(
    serve: Serve, chromium: Chromium, course: str
) -> None:
    """Never before it, and once: by two equal buttons, with the study behind a fold; later under History."""
    api = serve()
    stores = api.platform.stores
    stores.settings.change(CourseId(course), lambda found: replace(found, research=STUDY))
    first, second = QUESTIONS[course]
    with chromium.use() as browser:
        context = browser.new_context(extra_http_headers=api.learner("ann", course))
        page = context.new_page()
        page.goto(f"{api.address}/embed/{course}")
        page.get_by_test_id("welcome").wait_for()
        box, yes, no = (page.get_by_test_id(name) for name in ("consent", "consent-yes", "consent-no"))
        expect(box).to_be_hidden()
        ask(page, first)
        expect(box).to_be_visible()
        sizes = [each.bounding_box() for each in (yes, no)]
        assert len({(round(size["width"]), round(size["height"])) for size in sizes if size}) == 1
        box.get_by_test_id("fold").focus()
        page.keyboard.press("Enter")
        expect(box.locator(".study")).to_be_visible()
        check(page, f"asked-{course}")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(box.get_by_test_id("consent-status")).not_to_be_empty()
        expect(yes).to_have_attribute("aria-pressed", "true")
        assert consents(api, course) == [True]
        ask(page, second)
        expect(box).to_be_hidden()
        page.reload()
        page.get_by_test_id("history").press("Enter")
        expect(yes).to_have_attribute("aria-pressed", "true")
        no.press("Enter")
        expect(no).to_have_attribute("aria-pressed", "true")
        check(page, f"history-{course}")
        assert consents(api, course) == [False]


def test_who_does_not_decide_is_not_asked_again_until_the_study_changes(
    serve: Serve, chromium: Chromium
) -> None:
    """Also in another tab; and where a decision cannot be kept, the learner is told."""
    api = serve()
    change = api.platform.stores.settings.change
    course, box = CourseId("stacks-en"), "consent"
    change(course, lambda found: replace(found, research=STUDY))
    with chromium.use() as browser:
        context = browser.new_context(extra_http_headers=api.learner("ann"), locale="en")
        page = context.new_page()
        page.goto(f"{api.address}/embed/{course}")
        ask(page, "What is a stack?")
        expect(page.get_by_test_id(box)).to_be_visible()
        other = context.new_page()
        other.goto(f"{api.address}/embed/{course}")
        ask(other, "What is a queue?")
        expect(other.get_by_test_id(box)).to_be_hidden()
        change(course, lambda found: replace(found, research="Another study."))
        page.get_by_test_id("consent-yes").click()
        expect(page.get_by_test_id("consent-status")).to_contain_text("Not saved")
        assert consents(api, course) == []
        other.reload()
        ask(other, "What is a deque?")
        expect(other.get_by_test_id(box)).to_contain_text("Another study.")


def test_an_answer_that_comes_before_the_study_is_known_asks_when_it_is(
    serve: Serve, chromium: Chromium
) -> None:
    """The start of the sidebar may be slower than a short answer; a next question closes what was asked."""
    api = serve()
    api.platform.stores.settings.change(CourseId("stacks-en"), lambda found: replace(found, research=STUDY))
    held: list[Route] = []
    with chromium.use() as browser:
        page = browser.new_context(extra_http_headers=api.learner("ann"), locale="en").new_page()
        page.route("**/stacks-en/sidebar*", lambda route: held.append(route))
        page.goto(f"{api.address}/embed/stacks-en")
        ask(page, "What is a stack?")
        expect(page.get_by_test_id("consent")).to_be_hidden()
        held[0].continue_()
        expect(page.get_by_test_id("consent")).to_be_visible()
        ask(page, "What is a queue?")
        expect(page.get_by_test_id("consent")).to_be_hidden()


def test_nobody_without_a_lasting_name_is_asked(serve: Serve, browser_page: Page) -> None:
    """On an open course page."""
    api = serve()
    api.platform.stores.settings.change(CourseId("stacks-en"), lambda found: replace(found, research=STUDY))
    browser_page.goto(f"{api.address}/embed/stacks-en")
    ask(browser_page, "What is a stack?")
    expect(browser_page.get_by_test_id("consent")).to_be_hidden()
    browser_page.get_by_test_id("history").click()
    browser_page.get_by_test_id("history-open").wait_for()
    assert browser_page.get_by_test_id("consent-choice").count() == 0


@pytest.mark.parametrize("course", QUESTIONS)
def test_an_instructor_sets_the_study_by_keyboard(serve: Serve, browser_page: Page, course: str) -> None:
    """And takes it away again by an empty field."""
    api, page = serve(), browser_page
    open_console(api, page, "settings", course)
    for text in ("How students ask.", None):
        page.get_by_test_id("research").fill(text or "")
        page.get_by_test_id("research").press("Tab")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert api.platform.stores.settings.settings(CourseId(course)).research == text
    check(page, f"settings-{course}")
