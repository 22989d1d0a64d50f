"""A student in a real browser: ask, follow up, read the source, react, ask a real TA."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import ask, unfold
from kept_thumbs import kept_thumbs
from playwright.sync_api import Page, expect
from served_platform import served

from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.courses import CourseId

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Platform]]:
    """The address of a running server with the sample courses, and its platform."""
    platform = build_platform(Settings(home=tmp_path_factory.mktemp("site")))
    list(create_demo_courses(platform))
    with served(platform) as started:
        yield started.address, platform


@pytest.fixture
def page(browser_page: Page) -> Page:
    return browser_page


def test_a_student_asks_follows_up_reacts_and_asks_a_real_ta(site, page):
    """One conversation from the first question to the waiting TA; the server has kept all of it."""
    address, platform = site
    page.goto(f"{address}/courses/data-structures-zh")
    ask(page, "什么是栈？")
    expect(page.get_by_test_id("answer").last).to_have_attribute("data-route", "direct")
    expect(page.get_by_test_id("answer-html").last).to_contain_text("后进先出")

    unfold(page, "citations")
    page.get_by_test_id("citation").first.click()
    expect(page.locator("#passage-title")).to_contain_text("什么是栈")
    expect(page.get_by_test_id("passage-path")).to_have_text("栈")
    expect(page.get_by_test_id("passage-text")).to_contain_text("入栈")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("passage")).to_be_hidden()

    ask(page, "它的时间复杂度呢？")
    expect(page.get_by_test_id("answer-html").last).to_contain_text("时间复杂度")
    last = page.get_by_test_id("turn").last
    last.get_by_test_id("thumb-down").click()
    last.get_by_test_id("reason-hard_to_understand").check()
    last.get_by_test_id("feedback-send").click()
    expect(last.get_by_test_id("reaction-status")).to_be_visible()
    last.get_by_test_id("ask-ta").click()
    expect(last.get_by_test_id("ta-status")).to_be_visible()

    course = CourseId("data-structures-zh")
    (waiting,) = platform.stores.asked.all_questions(course)
    assert waiting.question == "它的时间复杂度呢？"
    (thumbs,) = kept_thumbs(platform.stores, course)
    assert (thumbs.rating, thumbs.reason) == ("down", "hard_to_understand")

    page.reload()
    expect(page.get_by_test_id("question")).to_have_text(["什么是栈？", "它的时间复杂度呢？"])


def test_the_language_link_keeps_course_and_conversation(site, page):
    address, _ = site
    page.goto(f"{address}/courses/data-structures-zh")
    ask(page, "什么是栈？")
    page.get_by_test_id("language-en").click()
    expect(page.get_by_test_id("question")).to_have_text(["什么是栈？"])
    expect(page.get_by_test_id("question-input")).to_have_attribute("placeholder", "Ask a question…")
    expect(page.get_by_test_id("language-zh")).to_be_visible()
    assert "/courses/data-structures-zh?lang=en" in page.url
    expect(page.get_by_test_id("one-language")).to_contain_text("The material of this course is in Chinese")


PLAYED = """([from]) => {
  const film = document.getElementById("player-film");
  const heard = film.webkitAudioDecodedByteCount > 0, seen = film.webkitDecodedFrameCount > 0;
  return !film.paused && film.currentTime > from && heard && seen;
}"""
SAID = """() => {
  const { activeCues } = document.getElementById("player-film").textTracks[0];
  return [...activeCues].map((cue) => cue.text).join();
}"""


@pytest.mark.parametrize(
    ("width", "course", "question", "cited", "said"),
    [
        (
            1280,
            "machine-learning-en",
            "What happens if the steps are too long when walking downhill?",
            0,
            "The next step takes us back",
        ),
        (360, "data-structures-zh", "调用栈是怎么工作的？", 2, "看到加号，弹出两个数"),
    ],
)
def test_a_citation_of_a_lecture_jumps_the_player(site, page, course, question, cited, said, width):
    """It is heard, seen and captioned from the second of the passage on, on a phone in view."""
    address, _ = site
    page.set_viewport_size({"width": width, "height": 740})
    page.goto(f"{address}/courses/{course}")
    if width < 900:
        page.get_by_test_id("view-assistant").click()
    ask(page, question)
    if cited:  # a further place, folded below the answer
        page.get_by_test_id("citations").locator("summary").click()
        page.get_by_test_id("citation").nth(cited - 1).click()
    else:
        page.get_by_test_id("excerpt-more").first.click()
    place = page.get_by_test_id("passage-place").inner_text()
    page.get_by_test_id("passage-play").click()
    minutes, seconds = place.rsplit(" ", 1)[-1].split(":")
    start = 60 * int(minutes) + int(seconds)
    assert start > 60
    page.wait_for_function(PLAYED, arg=[start + 1])  # the cue begins within that second
    expect(page.get_by_test_id("player-film")).to_be_in_viewport()
    page.get_by_test_id("player-film").evaluate("film => film.pause()")
    assert said in page.get_by_test_id("player-cues").locator("[aria-current=true]").inner_text()
    assert page.evaluate(SAID).count(said) == 1
