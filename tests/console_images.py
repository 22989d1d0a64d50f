"""Takes the pictures of the console in docs/images, and has axe look at every page.

.venv/bin/python tests/console_images.py docs/images --axe node_modules/axe-core/axe.min.js

Both sample courses are made anew, some students ask, and an instructor opens every page, in the light and in
the dark. Prints what axe finds; exits with 1 where that is serious.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from services.demo.sample_courses import create_demo_courses
from services.dialogue_api.app import create_app
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types import CourseId, FaqDraft, Feedback, Language, Question, Role

WIDTH, TALLEST = 1200, 1500
COURSES = {Language.ZH: CourseId("data-structures-zh"), Language.EN: CourseId("machine-learning-en")}
ASKED = {
    Language.ZH: (
        "期中考试考到哪一章？",
        "期中考试考到哪一章呢？",
        "怎样获得课程证书？",
        "什么是栈？",
        "考试可以带计算器吗？",
        "计算器能不能带进考场？",
        "拿破仑的厨师是谁？",
        "队列和栈有什么区别？",
    ),
    Language.EN: (
        "Which chapters does the midterm cover?",
        "Which chapters does the mid term cover?",
        "How do I get a certificate?",
        "What is overfitting?",
        "May I use a calculator in the exam?",
        "Is a calculator allowed in the exam?",
        "Who was Napoleon's cook?",
        "Why does regularisation help against overfitting?",
    ),
}
HANDED_ON = (0, 1, 2, 5, 6)
ENTRIES = {
    Language.ZH: FaqDraft(
        question="可以带计算器吗？",
        answer="可以，但不能带有编程功能的。",
        similar_questions=("考试允许用计算器吗？",),
    ),
    Language.EN: FaqDraft(
        question="Can I bring a calculator?",
        answer="Yes, but none that can be programmed.",
        similar_questions=("Are calculators allowed?",),
    ),
}
SETTINGS: dict[Language, dict[str, Any]] = {
    Language.ZH: {
        "refusal": "课程里没有写到，请到论坛提问。",
        "origins": ("https://learn.example",),
        "webhook_url": "https://learn.example/vta",
    },
    Language.EN: {
        "refusal": "The course does not say. Please ask in the forum.",
        "origins": ("https://learn.example",),
        "webhook_url": "https://learn.example/vta",
    },
}
NEW_ANSWER = {Language.ZH: "不可以，考场会提供。", Language.EN: "No. The exam room has some."}
TABLE = {
    Language.ZH: "问题,答案\n可以带计算器吗？,可以，任何型号都行。\n"
    "作业交到哪里？,交到课程网站。\n,没有问题的答案\n",
    Language.EN: 'question,answer\nCan I bring a calculator?,"Yes, any of them."\n'
    "Where do I hand in the homework?,On the course site.\n,An answer to nothing\n",
}
CONCEPT = {Language.ZH: "栈", Language.EN: "overfitting"}


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--axe", type=Path)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    given = parser.parse_args()
    axe = given.axe.read_text(encoding="utf-8") if given.axe else ""
    found: list[str] = []
    with (
        tempfile.TemporaryDirectory() as home,
        served(Path(home)) as (platform, address),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=given.chromium, args=["--no-sandbox"])
        for language, course in COURSES.items():
            key, _ = platform.stores.keys.make(course, Role.INSTRUCTOR)
            page = browser.new_page(viewport={"width": WIDTH, "height": 900}, locale=language.value)
            for name in open_pages(page, f"{address}/console", course, language, key):
                found += [f"{language} {name}: {each}" for each in look(page, axe)]
                take(page, given.out / f"console-{name}-{language}.png")
            page.close()
        browser.close()
    print("\n".join(found) or "axe found nothing")
    raise SystemExit(bool(found))


def open_pages(page: Page, console: str, course: CourseId, language: Language, key: str) -> Iterator[str]:
    """Open every page of the console in turn; gives the name of the one that is open."""
    home = f"{console}/{course}"
    page.goto(f"{home}/inbox")
    yield "log-in"
    page.get_by_test_id("key").fill(key)
    page.get_by_test_id("name").fill("Ann")
    page.get_by_test_id("log-in").click()
    page.goto(f"{console}/language/{language}?next=/console/{course}/inbox")
    yield "inbox"
    group = page.get_by_test_id("group").filter(has_text=ASKED[language][5])
    group.get_by_test_id("answer").click()
    yield "answer"
    page.goto(f"{home}/faq")
    yield "faq"
    page.get_by_test_id("entry").get_by_role("link").first.click()
    page.get_by_test_id("answer-text").fill(NEW_ANSWER[language])
    page.get_by_test_id("replay").click()
    yield "replay"
    page.goto(f"{home}/faq/import")
    file = {"name": "faq.csv", "mimeType": "text/csv", "buffer": TABLE[language].encode()}
    page.get_by_test_id("table").set_input_files(files=[file])
    page.get_by_test_id("try").click()
    yield "import"
    page.goto(f"{home}/materials")
    yield "materials"
    page.goto(f"{home}/graph")
    yield "graph"
    page.goto(f"{home}/graph/concept?name={CONCEPT[language]}")
    yield "concept"
    page.goto(f"{home}/graph/edits")
    yield "graph-edits"
    page.goto(f"{home}/settings")
    yield "settings"
    page.goto(f"{home}/preview")
    page.get_by_test_id("question").fill(ASKED[language][2])
    page.get_by_test_id("ask").click()
    yield "preview"


def look(page: Page, axe: str) -> list[str]:
    """What axe finds serious on the page, light and dark."""
    found: list[str] = []
    for scheme in ("dark", "light") if axe else ():
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(axe)
        for fault in page.evaluate("axe.run().then((result) => result.violations)"):
            if fault["impact"] in ("serious", "critical"):
                where = [node["html"][:160] for node in fault["nodes"][:3]]
                found.append(f"{scheme}: {fault['id']}: {where}")
    return found


def take(page: Page, file: Path) -> None:
    """A picture of the page from its top, in few colours."""
    page.mouse.move(0, 0)
    height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
    taken = page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
    Image.open(io.BytesIO(taken)).convert("RGB").quantize(64).save(file, optimize=True)


@contextmanager
def served(home: Path) -> Iterator[tuple[Platform, str]]:
    """The sample courses with some questions, on a free port."""
    platform = build_platform(Settings(home=home))
    for _ in create_demo_courses(platform):
        pass
    asyncio.run(ask_all(platform))
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(platform), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield platform, f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


async def ask_all(platform: Platform) -> None:
    """Ask as students, hand some questions on, put thumbs down once, and write an entry."""
    stores = platform.stores
    for language, course in COURSES.items():
        stores.faq.add(course, [ENTRIES[language]], editor="Bo")
        stores.settings.change(course, partial(replace, **SETTINGS[language]))
        for number, text in enumerate(ASKED[language]):
            answer = await platform.assistant.answer(Question(course_id=course, text=text))
            if number in HANDED_ON:
                stores.sessions.ask_ta(course, answer.turn_id)
            if number == len(ASKED[language]) - 1:
                stores.sessions.feedback(
                    course, Feedback(turn_id=answer.turn_id, rating="down", reason="too_short")
                )


if __name__ == "__main__":
    main()
