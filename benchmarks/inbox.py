"""How long every page of the inbox takes where 5,000 questions wait, and whether all of them are shown.

python -m benchmarks inbox --waiting 5000 --loads 40

Fills a new data folder as `console.py` does (seed 0), with this many questions that wait, as many that were
answered and as many that were rejected, and loads each page of console and API over HTTP. `assessing` is
the first page after the start, while the questions are still compared with the course behind it; `pages`
are loaded when that is over; `after_answer` is the first page straight after an answer was published, which
changes the course. `cpu` is what the processors spent, server, client and the work behind the pages
together, which other work on the machine hardly adds to. `shown` counts the questions on all pages.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import update

from benchmarks import console
from benchmarks.console import COURSE, measure, percentile_95
from services.questions.inbox import InboxQuery
from services.settings import Settings
from services.store import tables
from services.wiring import Platform, build_platform
from vta.types.faq import FaqDraft

HOME, API = f"/console/{COURSE}", f"/v1/courses/{COURSE}/questions"


def settle(platform: Platform, each: int) -> None:
    """Of the questions that wait, let the first `each` be answered and the next rejected."""
    table = tables.waiting_questions
    ids = [question.id for question in platform.stores.asked.all_questions(COURSE, "waiting")]
    entry = platform.stores.faq.entries(COURSE)[0].id
    with platform.stores.engine.begin() as connection:
        for state, chosen in (("answered", ids[:each]), ("rejected", ids[each : 2 * each])):
            change = update(table).where(table.c.id.in_(chosen))
            faq_id = entry if state == "answered" else None
            connection.execute(change.values(state=state, faq_id=faq_id, resolved_at=table.c.created_at))


def addresses(platform: Platform, last: int) -> Sequence[str]:
    """Every page of the inbox: first, middle, last, searched, filtered, ordered; and those beside it."""
    questions = platform.stores.asked.all_questions(COURSE, "waiting")
    word = questions[len(questions) // 2].question.split()[-1].rstrip("?")
    return (
        f"{HOME}/inbox",
        f"{HOME}/inbox?page={last // 2}",
        f"{HOME}/inbox?page={last}",
        f"{HOME}/inbox?search={word}",
        f"{HOME}/inbox?band=hold&page=2",
        f"{HOME}/inbox?band=discard&page=3",
        f"{HOME}/inbox?assignee=-&order=newest",
        f"{HOME}/inbox/answer?q={questions[-1].id}",
        f"{HOME}/inbox/answered",
        f"{HOME}/inbox/answered?page=100",
        f"{HOME}/inbox/answered?search={word}",
        f"{HOME}/inbox/rejected",
        f"{API}?state=waiting&limit=50&offset=2500",
        f"{API}?state=waiting&limit=50&search={word}",
        f"{API}/groups?page={last // 2}",
        f"{API}/{questions[-1].id}",
    )


def all_shown(platform: Platform) -> int:
    """The questions on all pages together."""
    course, seen = platform.stores.courses.course(COURSE), set[str]()
    query = InboxQuery(size=100)
    while True:
        page = platform.questions.inbox(course, query)
        seen |= {question.id for group in page.groups for question in group.waiting}
        if query.number >= page.last:
            return len(seen)
        query = replace(query, number=query.number + 1)


def run(*, waiting: int = 5000, loads: int = 40) -> dict[str, Any]:
    """Milliseconds of every page, while and after the questions are assessed."""
    with tempfile.TemporaryDirectory() as folder:
        platform = build_platform(Settings(home=Path(folder)))
        console.fill(platform, faq=500, turns=3 * waiting, waiting=3 * waiting)
        settle(platform, waiting)
        course = platform.stores.courses.course(COURSE)
        with console.logged_in(platform) as client:
            first = [asdict(measure(client, f"{HOME}/inbox", loads))]
            begun = time.perf_counter()
            while (found := platform.questions.inbox(course)).unassessed:
                time.sleep(1)
            assessed_s = round(time.perf_counter() - begun, 1)
            pages = [asdict(measure(client, page, loads)) for page in addresses(platform, found.last)]
            after = _after_answers(platform, client, loads)
        shown = all_shown(platform)
    return {
        "waiting": waiting,
        "loads": loads,
        "groups": found.found,
        "shown": shown,
        "assessing": first,
        "assessed_s": assessed_s,
        "pages": pages,
        "after_answer": after,
    }


def _after_answers(platform: Platform, client: httpx.Client, loads: int) -> dict[str, float]:
    """Milliseconds of the first page straight after each of some answers."""
    times, spent = [], []
    for _ in range(loads // 4):
        draft = FaqDraft(question=f"Made up {uuid.uuid4().hex}?", answer="x")
        platform.faq.add(COURSE, draft, editor="benchmark")
        start, start_cpu = time.perf_counter(), time.process_time()
        client.get(f"{HOME}/inbox").raise_for_status()
        times.append((time.perf_counter() - start) * 1000)
        spent.append((time.process_time() - start_cpu) * 1000)
    return {"n": len(times), "p95_ms": percentile_95(times), "cpu_p95_ms": percentile_95(spent)}
