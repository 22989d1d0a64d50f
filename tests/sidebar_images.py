"""Takes the pictures of the sidebar in docs/images.

.venv/bin/python tests/sidebar_images.py docs/images
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

from console_images import served, take
from console_tour import ASKED, COURSES
from playwright.sync_api import Page, sync_playwright

from vta.types import Language

WIDE, PHONE = {"width": 1360, "height": 900}, {"width": 390, "height": 800}
ZH, EN = Language.ZH, Language.EN


def cite(page: Page) -> None:
    """A source of an answer, opened."""
    ask(page, ASKED[ZH][3])
    page.get_by_test_id("citation").last.click()
    page.get_by_test_id("passage-text").wait_for()


def dislike(page: Page) -> None:
    """An answer that a TA is asked about, and what was wrong with it."""
    ask(page, ASKED[EN][3])
    page.get_by_test_id("ask-ta").click()
    page.get_by_test_id("thumb-down").click()
    page.get_by_test_id("reason-hard_to_understand").check()
    page.get_by_test_id("feedback-form").scroll_into_view_if_needed()


def study(page: Page) -> None:
    """A concept with the way to it."""
    ask(page, ASKED[ZH][7])
    page.get_by_test_id("concept-chip").first.click()
    page.get_by_test_id("learning-path").scroll_into_view_if_needed()


def reason(page: Page) -> None:
    """A question that wants reasoning."""
    ask(page, ASKED[ZH][7])


def miss(page: Page) -> None:
    """A question that the course does not answer."""
    if page.get_by_test_id("view-assistant").count():
        page.get_by_test_id("view-assistant").click()
    ask(page, ASKED[EN][6])


PICTURES: tuple[tuple[str, str, Language, dict[str, int], Callable[[Page], None]], ...] = (
    ("sidebar-zh", "courses", ZH, WIDE, cite),
    ("feedback-en", "courses", EN, WIDE, dislike),
    ("learning-path-zh", "courses", ZH, WIDE, study),
    ("chain-of-teach-zh-dark", "courses", ZH, WIDE, reason),
    ("phone-en-dark", "courses", EN, PHONE, miss),
    ("embed-phone-en-dark", "embed", EN, PHONE, miss),
)


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
        served(Path(home)) as (_, address),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"])
        for name, place, language, size, prepare in PICTURES:
            scheme = "dark" if name.endswith("dark") else "light"
            page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(f"{address}/{place}/{COURSES[language]}")
            prepare(page)
            page.wait_for_timeout(500)  # what slides in has come to rest
            take(page, given.out / f"{name}.png")
            page.close()
        browser.close()


def ask(page: Page, question: str) -> None:
    page.get_by_test_id("question-input").fill(question)
    page.get_by_test_id("question-input").press("Enter")
    page.get_by_test_id("answer-html").wait_for()


if __name__ == "__main__":
    main()
