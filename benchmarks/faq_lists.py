"""How long the FAQ pages take in a course of 800 entries, and what is done to all of them at once.

python -m benchmarks faq_lists --faq 800 --turns 20000 --loads 40

Fills a new data folder as `console.py` does (seed 0), gives the entries 20 categories and drafts, lets a
third of the turns rest on an entry, and loads each page over HTTP from a server in this process. `at_once_s`
are seconds of the whole: a table of as many rows read and compared, imported, its import undone, all entries
filed by one change, and that undone. `cpu` is what the processors spent, which other work on the machine
hardly adds to.
"""

from __future__ import annotations

import io
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sqlalchemy import update

from benchmarks import console
from benchmarks.console import COURSE, measure
from knowledge.sources.readers import read_faq_table
from services.settings import Settings
from services.store import tables
from services.wiring import Platform, build_platform
from vta.types.faq import FaqChange, FaqState

CATEGORIES = 20
EDITOR = "benchmark"


def file_entries(platform: Platform) -> None:
    """Give the entries categories, make a tenth of them drafts, and let answers rest on them."""
    draw = random.Random(0)
    ids = [entry.id for entry in platform.stores.faq.entries(COURSE)]
    for number in range(CATEGORIES):
        chosen, change = ids[number::CATEGORIES], FaqChange(category=f"category {number}")
        platform.faq.change(COURSE, chosen, change, editor=EDITOR)
    platform.faq.change(COURSE, ids[::10], FaqChange(state=FaqState.DRAFT), editor=EDITOR)
    facts = tables.turn_facts
    with platform.stores.engine.begin() as connection:
        turns = [row.turn_id for row in connection.execute(facts.select().with_only_columns(facts.c.turn_id))]
        for turn in turns[::3]:
            of_turn = update(facts).where(facts.c.turn_id == turn)
            connection.execute(of_turn.values(faq_id=ids[int(draw.paretovariate(0.5)) % len(ids)]))


def addresses(platform: Platform) -> Sequence[str]:
    """Every list in every order, and an entry that was just saved, for which near-duplicates are sought."""
    home, entry = f"/console/{COURSE}/faq", platform.stores.faq.entries(COURSE)[0]
    word = entry.draft.question.split()[-1].rstrip("?")
    orders = [f"{home}?order={order}" for order in ("newest", "asked", "question", "category")]
    return (
        *orders,
        f"{home}?page=8",
        f"{home}?search={word}&order=asked",
        f"{home}?category=category+3&state=live",
        f"{home}?show=removed",
        f"{home}/changes",
        f"{home}/{entry.id}?saved",
        f"/v1/courses/{COURSE}/faq?limit=100&order=asked",
    )


def at_once(platform: Platform, rows: int) -> dict[str, float]:
    """Seconds of what is done to many entries."""
    words, seconds = console.Words(seed=1), dict[str, float]()

    def timed(name: str, work: Callable[[], object]) -> object:
        start = time.perf_counter()
        done = work()
        seconds[name] = round(time.perf_counter() - start, 2)
        return done

    lines = [f"{words.question()};{words.text(60)}" for _ in range(rows)]
    table = "\n".join(["FAQ;", "question;answer", *lines]).encode()
    faq = platform.faq
    plan = timed("plan", lambda: faq.plan(COURSE, read_faq_table(io.BytesIO(table), path="faq.csv")))
    batch = timed("import", lambda: faq.apply(COURSE, plan, editor=EDITOR, file="faq.csv"))  # type: ignore[arg-type]
    timed("undo_import", lambda: faq.undo(COURSE, batch.id, editor=EDITOR))  # type: ignore[attr-defined]
    ids = [entry.id for entry in platform.stores.faq.entries(COURSE)]
    filed = timed("file_all", lambda: faq.change(COURSE, ids, FaqChange(category="all"), editor=EDITOR))
    timed("undo_filing", lambda: faq.undo(COURSE, filed.id, editor=EDITOR))  # type: ignore[attr-defined]
    return seconds


def run(*, faq: int = 800, turns: int = 20_000, loads: int = 40) -> dict[str, Any]:
    """Milliseconds of every list, and seconds of changes of all entries."""
    with tempfile.TemporaryDirectory() as folder:
        platform = build_platform(Settings(home=Path(folder)))
        console.fill(platform, faq=faq, turns=turns)
        file_entries(platform)
        with console.logged_in(platform) as client:
            pages = [asdict(measure(client, page, loads)) for page in addresses(platform)]
            seconds = at_once(platform, faq)
    return {"faq": faq, "turns": turns, "loads": loads, "pages": pages, "at_once_s": seconds}
