"""Takes the pictures of what students see, in docs/images.

.venv/bin/python tests/sidebar_images.py docs/images
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chromium import unfold
from console_images import served, take
from console_tour import COURSES, NEW_ANSWERS
from playwright.sync_api import Page, ViewportSize, sync_playwright

from services.wiring import Platform
from vta.types import FaqDraft, Language

KNOWN = {Language.ZH: "什么是栈？", Language.EN: "What is overfitting?"}
TAUGHT = {
    Language.ZH: "栈和队列有什么区别？",
    Language.EN: "Why does regularisation help against overfitting?",
}
SPOKEN = {
    Language.ZH: "函数 A 调用函数 B 时，调用栈怎么变化？",
    Language.EN: "What happens if the steps are too long when walking downhill?",
}
OPEN = {
    Language.ZH: "期末考试能带一张手写的公式纸吗？",
    Language.EN: "May we bring a page of formulas to the exam?",
}
DESKTOP, PHONE = ViewportSize(width=1200, height=800), ViewportSize(width=360, height=740)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home)) as (platform, address),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"])
        for language in Language:
            page = browser.new_page(viewport=DESKTOP, locale=language.value, reduced_motion="reduce")
            for name in stops(platform, page, address, language):
                take(page, given.out / f"student-{name}-{language}.png")
            page.close()
        browser.close()


def stops(platform: Platform, page: Page, address: str, language: Language) -> Iterator[str]:
    """Opens one state after another; gives the name of what is open now."""
    page.goto(f"{address}/courses/{COURSES[language]}")
    page.get_by_test_id("suggestion").first.wait_for()
    page.wait_for_function("document.getElementById('player-film').readyState > 1")
    yield "start"
    ask(page, KNOWN[language])
    unfold(page, "citations")
    page.get_by_test_id("citation").last.click()
    page.get_by_test_id("passage").wait_for()
    page.locator("[data-here]").wait_for()
    yield "answer"
    page.keyboard.press("Escape")
    ask(page, SPOKEN[language])
    spoken = page.get_by_test_id("excerpt-source").filter(has_text=re.compile(r"\d\d:\d\d"))
    spoken.last.get_by_test_id("excerpt-more").click()
    page.get_by_test_id("passage-play").click()
    page.wait_for_function("document.getElementById('player-film').webkitDecodedFrameCount > 0")
    page.get_by_test_id("player-film").evaluate("film => film.pause()")
    page.get_by_test_id("passage-text").hover()
    page.wait_for_timeout(4000)  # until the player's controls have gone
    yield "lecture"
    page.keyboard.press("Escape")
    ask(page, TAUGHT[language])
    unfold(page, "concepts")
    page.get_by_test_id("concept-chip").last.click()
    page.get_by_test_id("learning-path").wait_for()
    page.get_by_test_id("concept-detail").last.evaluate("detail => detail.scrollIntoView()")
    yield "concepts"
    ask(page, OPEN[language])
    page.get_by_test_id("thumb-down").last.click()
    page.get_by_test_id("ask-ta").last.click()
    page.get_by_test_id("ta-status").wait_for()
    yield "waiting"
    (waiting,) = (
        each
        for each in platform.stores.sessions.waiting_questions(COURSES[language], "waiting")
        if each.question == OPEN[language]
    )
    draft = FaqDraft(question=OPEN[language], answer=NEW_ANSWERS[language])
    platform.stores.ta_queue.answer(COURSES[language], [waiting.id], draft, editor="Ann")
    page.reload()
    page.get_by_test_id("ta-notice-item").wait_for()
    yield "told"
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.get_by_test_id("view-assistant").click()
    yield "phone"


def ask(page: Page, question: str) -> None:
    """Ask, and wait for the answer."""
    answers = page.get_by_test_id("answer-html")
    before = answers.count()
    page.get_by_test_id("question-input").fill(question)
    page.get_by_test_id("send").click()
    answers.nth(before).wait_for(timeout=20_000)
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()
