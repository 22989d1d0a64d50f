"""The desk of a teaching assistant in a real browser: own questions, who opened what, templates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from chromium import Chromium
from playwright.sync_api import Browser, Page, Route, expect
from served_platform import Serve, Served

from services.people.sessions import COOKIE
from services.people.store import CourseRole
from vta.types.courses import CourseId

COURSES = {"en": CourseId("stacks-en"), "zh": CourseId("stacks-zh")}
ASKED = {"en": "Will the final exam cover undo stacks?", "zh": "期末考试会考撤销栈吗？"}
TEXT = {"en": "Please look at the syllabus, section 3.", "zh": "请看教学大纲第三节。"}
MINE, ME, BO_OPENED = ({"en": "Mine 1", "zh": "我的 1"}, {"en": "Ann (me)", "zh": "Ann（我）"}, {
    "en": "Bo opened this 1 min ago", "zh": "Bo 在 1 分钟前打开过",
})  # fmt: skip

pytestmark = pytest.mark.browser


@contextmanager
def at_the_desk(api: Served, browser: Browser, name: str, language: str) -> Iterator[Page]:
    """A teaching assistant of the course, logged in on a phone."""
    stores, course = api.platform.stores, COURSES[language]
    person = stores.people.add(name=name, email=f"{name}@uni.example")
    stores.memberships.put(course, person.id, CourseRole.TA)
    cookie, _ = stores.console.open(None, person.name, person=person)
    context = browser.new_context(viewport={"width": 390, "height": 800})
    context.add_cookies([{"name": COOKIE, "value": cookie, "url": f"{api.address}/console"}])
    page = context.new_page()
    page.goto(f"{api.address}/console/{course}/inbox")
    yield page
    context.close()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= 390"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_ta_takes_a_question_and_answers_it_by_a_template(
    serve: Serve, chromium: Chromium, language: str
) -> None:
    """By keyboard alone, on a phone: it is assigned, found by one press, and answered by a saved text."""
    api = serve()
    waiting, turn = api.ask_ta(ASKED[language], COURSES[language])
    with (
        chromium.use() as browser,
        at_the_desk(api, browser, "Bo", language) as bo,
        at_the_desk(api, browser, "Ann", language) as page,
    ):
        bo.goto(f"{bo.url}/answer?q={waiting}")
        page.reload()
        assert fits(page)
        expect(page.get_by_test_id("reader")).to_have_text(BO_OPENED[language])
        page.get_by_test_id("choose").first.check()
        expect(page.get_by_test_id("assign-name").locator("option").first).to_have_text(ME[language])
        page.get_by_test_id("assign").press("Enter")
        expect(page.get_by_test_id("settled")).to_be_focused()
        expect(page.get_by_test_id("mine")).to_have_text(MINE[language])
        page.get_by_test_id("mine").press("Enter")
        expect(page.get_by_test_id("mine")).to_have_attribute("aria-current", "page")
        page.get_by_test_id("answer").press("Enter")
        expect(page.get_by_test_id("reader")).to_have_text(BO_OPENED[language])
        private, answer = page.get_by_test_id("private"), page.get_by_test_id("answer-text")
        private.fill(TEXT[language])
        page.get_by_test_id("note").fill("Hm.")
        page.get_by_test_id("keep-private").press("Enter")
        expect(page.get_by_test_id("noted")).to_be_focused()
        expect(private).to_have_value(TEXT[language])
        expect(page.get_by_test_id("note")).to_have_value("Hm.")
        answer.fill("Hello.")
        page.get_by_test_id("use-answer").press("Enter")
        expect(answer).to_be_focused()
        expect(answer).to_have_value(f"Hello.\n\n{TEXT[language]}")
        assert fits(page)
        bo.reload()
        expect(bo.get_by_test_id("template").locator("option")).to_have_text([TEXT[language]])
        bo.get_by_test_id("drop-template").press("Enter")
        expect(bo.get_by_test_id("noted")).to_be_focused()
        expect(bo.get_by_test_id("template")).to_have_count(0)
        page.get_by_test_id("use-private").press("Enter")
        expect(page.get_by_test_id("fault")).to_be_focused()
        expect(answer).to_have_value(f"Hello.\n\n{TEXT[language]}")
        page.get_by_test_id("publish").press("Enter")
        expect(page.get_by_test_id("settled")).to_be_focused()
    (told,) = api.ta_answers(turn)
    assert told["text"] == f"Hello.\n\n{TEXT[language]}"


def test_who_types_before_the_scripts_of_the_page_have_come_keeps_the_field(
    serve: Serve, chromium: Chromium
) -> None:
    """On a slow line the page can be used before its scripts are there."""
    api = serve()
    waiting, _ = api.ask_ta(ASKED["en"], COURSES["en"])
    with chromium.use() as browser, at_the_desk(api, browser, "Ann", "en") as page:
        held: list[Route] = []
        page.route("**/answer.js", lambda route: held.append(route))
        with page.expect_request("**/answer.js"):
            page.goto(f"{page.url}/answer?q={waiting}", wait_until="commit")
        note = page.get_by_test_id("note")
        note.press_sequentially("Hm")
        held[0].continue_()
        page.wait_for_load_state()
        expect(note).to_be_focused()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_slash_brings_a_template_into_an_answer_whose_field_and_button_a_phone_shows_at_once(
    serve: Serve, chromium: Chromium, language: str
) -> None:
    """It is found by a word and takes the place of the slash; a slash within a line is only a slash."""
    api = serve()
    waiting, _ = api.ask_ta(ASKED[language], COURSES[language])
    for text in ("Hm.", TEXT[language]):
        api.platform.stores.answer_templates.keep(COURSES[language], text)
    with chromium.use() as browser, at_the_desk(api, browser, "Ann", language) as page:
        page.goto(f"{page.url}/answer?q={waiting}")
        for shown in ("answer-text", "publish"):
            box = page.get_by_test_id(shown).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 844
        answer = page.get_by_test_id("answer-text")
        answer.fill("A")
        answer.press_sequentially("/B")
        expect(page.get_by_test_id("pick-search")).to_be_hidden()
        answer.press("Enter")
        answer.press_sequentially("/")
        expect(page.get_by_test_id("pick-search")).to_be_focused()
        page.get_by_test_id("pick-search").press_sequentially(TEXT[language][:3])
        expect(page.get_by_test_id("pick").locator("visible=true")).to_have_text([TEXT[language]])
        page.get_by_test_id("pick-search").press("Enter")
        expect(answer).to_be_focused()
        expect(answer).to_have_value(f"A/B\n{TEXT[language]}")
        assert fits(page)
