"""How many clicks and seconds an instructor needs, from a folder of real files to an empty inbox.

.venv/bin/python benchmarks/instructor_hour.py ../shared/data/fresh/zoomcamp --questions 100

A new course gets the Markdown files of `material` through its page, in Chromium; questions of `faq.jsonl`
(seed 0) are asked through the API, without a language model, and all of them handed to a TA. Then the inbox
is emptied by a fixed policy: what is ready to publish is published as it is offered; a question of the band
"for you to answer" gets the forum's own answer, pasted; what the course has nothing on is declined.

A click, a tick of a box, a choice in a file dialog and a press of a key (or of keys together) each count as
one, a paste too, however long its text. `seconds` are those of the machine, pages and index together: nobody
reads or thinks. `klm_seconds` add what a person needs by the keystroke-level model of Card, Moran and Newell
(1980): 1.1 s to point, 0.2 s a press, 1.35 s to think before each group.

With `--ta` a teaching assistant with a password empties it, once the instructor has read the material.
`pages` are those that the browser loaded meanwhile, `page_p95_ms` is from a press until its page is loaded,
forms that lead there included, and `refused` counts pages of 400 and more.

With the code of an older commit on PYTHONPATH it goes that commit's ways: where the page takes no folder,
the files are read as by `vta ingest` and `upload` is null; what cannot be done for several groups at once is
done one by one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from console import percentile_95, served
from playwright.sync_api import Locator, Page, Response, sync_playwright

from services.people.service import digest_of_password
from services.people.store import CourseRole
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.ingest.pipeline import ingest
from vta.languages import Language
from vta.types.courses import Course, CourseId, Role

COURSE = CourseId("zoomcamp")
HOME = f"/console/{COURSE}"
POINT_S, PRESS_S, THINK_S = 1.1, 0.2, 1.35
PASSWORD = "correct horse battery"
LOADED = """addEventListener("load", () => setTimeout(() =>
  noted(performance.getEntriesByType("navigation")[0].duration)))"""
"""A page tells how long it took, redirects included."""


@dataclass(slots=True)
class Hand:
    """An instructor's hand: what it does in the page is counted."""

    page: Page
    clicks: int = 0
    presses: int = 0
    settled: Counter[str] = field(default_factory=Counter)
    page_ms: list[float] = field(default_factory=list)
    refused: int = 0

    def click(self, target: Locator) -> None:
        self.clicks += 1
        target.click()

    def press(self, keys: str) -> None:
        self.presses += 1
        self.page.keyboard.press(keys)

    def paste(self, text: str) -> None:
        self.presses += 1
        self.page.keyboard.insert_text(text)


def watch(hand: Hand) -> None:
    """Note the pages that are loaded and refused."""

    def note_page(milliseconds: float) -> None:
        hand.page_ms.append(milliseconds)

    def note_refused(response: Response) -> None:
        hand.refused += response.request.is_navigation_request() and response.status >= 400

    hand.page.expose_function("noted", note_page)
    hand.page.add_init_script(LOADED)
    hand.page.on("response", note_refused)


def words_of(question: str) -> str:
    """The question as it is found again: pages begin it with a capital."""
    return " ".join(question.split()).casefold()


def first_of(page: Page, test_id: str) -> Locator | None:
    found = page.get_by_test_id(test_id).locator("visible=true")
    return found.first if found.count() else None


def upload(hand: Hand, platform: Platform, address: str, material: Path) -> dict[str, Any] | None:
    """Read the folder, through the page where it takes one."""
    course = platform.stores.courses.course(COURSE)
    hand.page.goto(f"{address}{HOME}/materials")
    if hand.page.get_by_test_id("folder").count() == 0:
        documents = platform.stores.documents
        ingest([material], course=course, readers=platform.readers, documents=documents)
        return None
    begun = time.perf_counter()
    hand.clicks += 2  # the field, and the folder in the dialog
    hand.page.get_by_test_id("folder").set_input_files(material)
    hand.click(hand.page.get_by_test_id("upload"))
    hand.page.get_by_test_id("ingested").wait_for(timeout=600_000)
    counted = hand.clicks
    return {
        "clicks": counted,
        "seconds": round(time.perf_counter() - begun, 1),
        "files": len(platform.materials.documents(COURSE)),
    }


def ask(address: str, questions: list[str]) -> Counter[str]:
    """Ask each in a conversation of its own, and hand it on; returns the routes."""
    routes: Counter[str] = Counter()
    with httpx.Client(base_url=f"{address}/v1/courses/{COURSE}", timeout=120, trust_env=False) as client:
        for question in questions:
            answer = client.post("/dialogue", json={"question": question}).raise_for_status().json()
            routes[answer["route"]] += 1
            client.post(f"/turns/{answer['turn_id']}/ask-ta").raise_for_status()
    return routes


def choose(hand: Hand, cards: Locator) -> None:
    """Tick these groups, by one click where they are all that the page shows."""
    if hand.page.get_by_test_id("group").locator("visible=true").count() == cards.count():
        hand.click(hand.page.get_by_test_id("choose-all"))
    else:
        for card in cards.all():
            hand.click(card.get_by_test_id("choose"))


def publish(hand: Hand) -> bool:
    """Publish what is ready on this page, all at once where that can be done."""
    page = hand.page
    cards = page.get_by_test_id("band-publish").get_by_test_id("group")
    if not (count := cards.count()):
        return False
    if bulk := first_of(page, "publish-chosen"):
        choose(hand, cards)
        hand.click(bulk)
        hand.settled["publish"] += count
    else:
        hand.click(cards.first.get_by_test_id("one-click"))
        hand.settled["publish"] += 1
    return True


def answer(hand: Hand, answers: dict[str, str]) -> bool:
    """Answer the question that is open, or the first that is left to the TA, by the forum's own answer."""
    page = hand.page
    if "/inbox/answer" not in page.url:
        cards = page.get_by_test_id("band-hold").get_by_test_id("group")
        if not cards.count():
            return False
        hand.click(cards.first.get_by_test_id("answer"))
    text, question = page.get_by_test_id("answer-text"), page.get_by_test_id("question")
    asked = question.input_value()
    if not text.evaluate("each => each === document.activeElement"):
        hand.click(text)
        if text.input_value():
            hand.press("Control+a")
    hand.paste(answers[words_of(asked)])
    hand.click(first_of(page, "publish-next") or page.get_by_test_id("publish"))
    page.wait_for_load_state()
    if (
        "/inbox/answer" in page.url and question.input_value() == asked
    ):  # an entry asks the same: these join it
        hand.click(page.get_by_test_id("merge"))
    hand.settled["hold"] += 1
    return True


def decline(hand: Hand) -> bool:
    """Decline what the course has nothing on: the whole page at once where that can be done."""
    page = hand.page
    band = page.get_by_test_id("band-discard")
    if not band.count():
        return False
    if (fold := first_of(page, "fold")) and not band.get_by_test_id("answer").first.is_visible():
        hand.click(fold)
    cards = band.get_by_test_id("group").locator("visible=true")
    if bulk := first_of(page, "reject-chosen"):
        hand.settled["discard"] += cards.count()
        choose(hand, cards)
        hand.click(bulk)
    else:
        hand.click(cards.first.get_by_test_id("answer"))
        hand.click(page.get_by_test_id("reject"))
        hand.settled["discard"] += 1
    return True


def empty_inbox(hand: Hand, platform: Platform, address: str, answers: dict[str, str]) -> None:
    """Band by band, again where answers have made others ready, until nothing waits or nothing changes."""
    before = -1
    while (waiting := waiting_in(platform)) and waiting != before:
        before = waiting
        for settle in (publish, lambda given: answer(given, answers), decline):
            hand.page.goto(f"{address}{HOME}/inbox")
            if settle is decline and (tab := first_of(hand.page, "tab-discard")):
                hand.click(tab)
            while waiting_in(platform) and (settle(hand) or turn_page(hand)):
                pass


def turn_page(hand: Hand) -> bool:
    """Go to the next page of the inbox, where a band may go on."""
    pages = hand.page.locator("nav.pages")
    if not pages.count():
        return False
    number, last = pages.locator("span").inner_text().split("/")
    if int(number) >= int(last):
        return False
    hand.click(pages.locator("a").last)
    return True


def log_in_as_ta(page: Page, platform: Platform, address: str) -> None:
    """A new person, who is a teaching assistant of the course."""
    person = platform.stores.people.add(name="Bo", email="bo@uni.example")
    platform.stores.people.set_password(person.id, digest_of_password(PASSWORD))
    platform.stores.memberships.put(COURSE, person.id, CourseRole.TA)
    page.context.clear_cookies()
    page.goto(f"{address}/console/log-in")
    page.get_by_test_id("email").fill(person.email)
    page.get_by_test_id("password").fill(PASSWORD)
    page.get_by_test_id("log-in-account").click()


def waiting_in(platform: Platform) -> int:
    return len(platform.stores.asked.waiting_questions(COURSE, "waiting"))


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--ta", action="store_true")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    arguments = parser.parse_args()
    lines = (arguments.data / "faq.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["course"] == "machine-learning-zoomcamp"]
    rows = random.Random(0).sample(rows, min(arguments.questions, len(rows)))
    answers = {words_of(row["question"]): row["answer"] for row in rows}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        platform = build_platform(Settings(home=Path(folder), limit_learner=100_000))
        platform.stores.courses.add(
            Course(id=COURSE, name="Machine learning", domains=("Machine learning",), language=Language.EN)
        )
        key, _ = platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
        browser = playwright.chromium.launch(executable_path=arguments.chromium, args=["--no-sandbox"])
        with served(platform) as address:
            page = browser.new_page(viewport={"width": 1360, "height": 900}, locale="en")
            page.set_default_timeout(120_000)
            page.on("dialog", lambda dialog: dialog.accept())
            page.goto(f"{address}/console/log-in")
            page.get_by_test_id("key").fill(key)
            page.get_by_test_id("log-in").click()
            hand = Hand(page)
            watch(hand)
            uploaded = upload(hand, platform, address, arguments.data / "material")
            routes = ask(address, [" ".join(row["question"].split()) for row in rows])
            if arguments.ta:
                log_in_as_ta(page, platform, address)
            hand.clicks = hand.presses = hand.refused = 0
            hand.page_ms.clear()
            begun = time.perf_counter()
            empty_inbox(hand, platform, address, answers)
            seconds = time.perf_counter() - begun
            left = waiting_in(platform)
        with suppress(Exception):
            browser.close()
    questions = len(answers)
    acts = hand.clicks + hand.presses
    person_s = POINT_S * hand.clicks + PRESS_S * acts + THINK_S * hand.settled.total()
    print(
        json.dumps(
            {
                "questions": questions,
                "upload": uploaded,
                "routes": routes,
                "groups_settled": hand.settled,
                "left": left,
                "pages": len(hand.page_ms),
                "page_p95_ms": percentile_95(hand.page_ms),
                "refused": hand.refused,
                "clicks": hand.clicks,
                "presses": hand.presses,
                "clicks_a_question": round(acts / questions, 2),
                "seconds_a_question": round(seconds / questions, 2),
                "klm_seconds_a_question": round((person_s + seconds) / questions, 2),
                "load": os.getloadavg()[0],
            },
            indent=1,
            default=str,
        )
    )


if __name__ == "__main__":
    main()
