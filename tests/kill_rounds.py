"""Kills a writer of FAQ edits at random moments, again and again, and looks at what the next start finds.

    python tests/kill_rounds.py --rounds 200
    python tests/kill_rounds.py --rounds 60 --database postgresql+psycopg://...

Each round is one process, forked from a parent that has imported everything: it starts as `vta serve` does,
answers a question, compares store and search with what was acknowledged before, and goes on adding, editing
and removing entries until it is killed. Every fifth one is killed while it starts. Beside it a second process
opens the store, reads and closes it again and again, as commands do. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from small_platform import KeywordIntents

from intent.guard.detector import NgramGuard
from prompts.chain_of_teach import load_examples
from services.clock import SystemClock
from services.indexing.stored_knowledge import sync_index
from services.settings import Settings
from services.stores import open_stores
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.text import Analyser
from vta.types.answers import Route
from vta.types.courses import Course, CourseId, FaqId
from vta.types.faq import FaqDraft
from vta.types.questions import Question

COURSE = Course(id=CourseId("ds"), name="DS", domains=("cs",), language=Language.EN)
FIRST_ENTRIES = 60
LONGEST_S = 0.8
"""A process is killed within so many seconds after its first edit."""
START_S = 0.25
"""One that is killed while it starts, within so many seconds after it was forked."""
STUCK_S = 120.0


@dataclass
class Acknowledged:
    """What the store must hold: the question of each live entry, and those that must be found no more."""

    live: dict[FaqId, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    count: int = 0
    tried: tuple[str, FaqId | None, str | None] | None = None
    """The edit that was under way at the kill: what, of which entry, and its new question."""


@dataclass
class Run:
    """The figures of all rounds."""

    rounds: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    left_over: int = 0
    """Rounds whose start found files of a killed process in the folder of the index."""


def question(token: str) -> str:
    return f"How is {token} explained?"


def new_question(draw: random.Random) -> str:
    return question(f"w{draw.randrange(10**9)}x")


def draft(text: str) -> FaqDraft:
    return FaqDraft(question=text, answer=f"The answer to it: {text}")


def start(home: Path, database: str | None) -> Platform:
    """What `vta serve` does before it listens."""
    platform = build_platform(Settings(home=home, database_url=database), intents=KeywordIntents())
    platform.knowledge.current()
    return platform


def is_found(platform: Platform, text: str) -> bool:
    ranking = platform.knowledge.current().ranker.rank(text, course=COURSE, mentions=(), chit_chat=0.0, top=3)
    return any(candidate.pair.question == text for candidate in ranking.candidates)


def faults_after_start(platform: Platform, known: Acknowledged) -> tuple[dict[str, str], list[str]]:
    """What the store holds now, and what is wrong with it or with the search."""
    held = {entry.id: entry.draft.question for entry in platform.stores.faq.entries(COURSE.id)}
    what, entry_id, text = known.tried or ("", None, None)
    faults = []
    for each, expected in known.live.items():
        if held.get(each) != expected and not (each == entry_id and held.get(each) == text):
            faults.append(f"lost: entry {each} is {held.get(each)!r} and not {expected!r}")
    extra = {held[each] for each in held.keys() - known.live.keys()}
    faults += [f"invented: {each!r}" for each in extra if not (what == "add" and each == text)]
    faults += [f"not found: {each!r}" for each in held.values() if not is_found(platform, each)]
    dead = known.gone - set(held.values())
    faults += [f"found though gone: {each!r}" for each in dead if is_found(platform, each)]
    asked = next(iter(held.values()))
    answer = asyncio.run(platform.assistant.answer(Question(course_id=COURSE.id, text=asked)))
    if answer.route is not Route.DIRECT or answer.degraded:
        faults.append(f"answered {answer.route}, {answer.degraded}")
    return {str(each): text for each, text in held.items()}, faults


def edit_for_ever(platform: Platform, seed: int, tell: Callable[..., None]) -> None:
    """Add, edit and remove entries; each edit is told before it is made and when it is acknowledged."""
    draw, faq = random.Random(seed), platform.stores.faq
    while True:
        entries = faq.entries(COURSE.id)
        kind = draw.choices(["add", "edit", "remove"], [3, 6, 2 if len(entries) > FIRST_ENTRIES else 0])[0]
        entry, text = draw.choice(entries), new_question(draw)
        if kind == "add":
            tell("tried", kind, None, text)
            entry = faq.add(COURSE.id, [draft(text)], editor="t")[0]
        elif kind == "edit":
            tell("tried", kind, entry.id, text)
            faq.edit(COURSE.id, entry.id, draft(text), editor="t", expected=entry.version)
        else:
            tell("tried", kind, entry.id, None)
            faq.remove(COURSE.id, entry.id, editor="t", expected=entry.version)
        synced = sync_index(platform.knowledge)
        tell("done", kind, entry.id, None if kind == "remove" else text, synced)


def live(home: Path, database: str | None, known: Acknowledged, seed: int, out: int) -> None:
    """The life of one process: start, compare, edit until killed."""

    def tell(*words: object) -> None:
        os.write(out, (json.dumps(words) + "\n").encode())

    tell("left over", len(left_over(home)))
    platform = start(home, database)
    with platform.stores.engine.connect() as one, platform.stores.engine.connect() as other:
        assert one is not other  # two connections are open from here on, as in a server
    tell("held", *faults_after_start(platform, known))
    edit_for_ever(platform, seed, tell)


def left_over(home: Path) -> list[str]:
    """Names of segments' files that no meta.json names."""
    found = []
    for meta in home.glob("index/generation-*/*/meta.json"):
        segments = json.loads(meta.read_text())["segments"]
        begins = {each["segment_id"].replace("-", ""): each["deletes"] for each in segments}
        for file in meta.parent.glob("*.*"):
            begin, _, rest = file.name.partition(".")
            deletes = begins.get(begin)
            is_stale = rest.endswith("del") and (not deletes or rest != f"{deletes['opstamp']}.del")
            if len(begin) == 32 and (begin not in begins or is_stale):
                found.append(file.name)
    return found


def come_and_go(home: Path, database: str | None) -> None:
    """Open the store, read and close it, as each command beside a server does, until killed."""
    url = Settings(home=home, database_url=database).store_url
    while True:
        stores = open_stores(url, SystemClock())
        stores.documents.revision()
        stores.close()


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """The process id of a child that does this, and the end of the pipe on which it writes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    try:
        work(writing)
    except BaseException:
        os.write(writing, (json.dumps(["failed", traceback.format_exc()[-1500:]]) + "\n").encode())
        os._exit(3)
    os._exit(0)


class Child:
    """A forked process, what it tells, and the moment at which it is killed."""

    def __init__(self, work: Callable[[int], None], *, seconds: float) -> None:
        """It is killed after so many seconds, unless `kill_after` says otherwise."""
        self.id, self._reading = forked(work)
        self._end_s = time.monotonic() + seconds

    def kill_after(self, seconds: float) -> None:
        self._end_s = time.monotonic() + seconds

    def lines(self) -> Iterator[Any]:
        """What it tells, line by line, until it is dead."""
        text = b""
        while True:
            left_s = max(self._end_s - time.monotonic(), 0.0)
            if not select.select([self._reading], [], [], left_s)[0]:
                os.kill(self.id, signal.SIGKILL)
                self._end_s = time.monotonic() + STUCK_S
                continue
            chunk = os.read(self._reading, 65_536)
            if not chunk:
                os.close(self._reading)
                return
            *whole, text = (text + chunk).split(b"\n")
            yield from map(json.loads, whole)

    def exit_code(self) -> int:
        return os.waitstatus_to_exitcode(os.waitpid(self.id, 0)[1])


def set_up(home: Path, database: str | None) -> Acknowledged:
    """The first entries, indexed, written by a process of their own."""

    def work(out: int) -> None:
        platform = build_platform(Settings(home=home, database_url=database), intents=KeywordIntents())
        platform.stores.courses.add(COURSE)
        texts = [question(f"first{number}x") for number in range(FIRST_ENTRIES)]
        added = platform.stores.faq.add(COURSE.id, [draft(text) for text in texts], editor="t")
        assert sync_index(platform.knowledge)
        platform.close()
        os.write(out, (json.dumps({entry.id: entry.draft.question for entry in added}) + "\n").encode())

    child = Child(work, seconds=STUCK_S)
    (made,) = child.lines()
    assert child.exit_code() == 0, made
    return Acknowledged(live=dict(made))


def play(run: Run, known: Acknowledged, home: Path, database: str | None, seed: int) -> None:
    """One round: a process from its start to its death."""
    draw = random.Random(seed)
    at_start = draw.random() < 0.2
    child = Child(
        lambda out: live(home, database, known, seed, out),
        seconds=draw.uniform(0.0, START_S) if at_start else STUCK_S,
    )
    beside, reading = forked(lambda _: come_and_go(home, database))
    moment = "starting"
    for kind, *words in child.lines():
        if kind == "left over":
            run.left_over += bool(words[0])
        elif kind == "failed":
            run.failures.append(f"round {run.rounds}: {words[0]}")
        elif kind == "held":
            known.live, known.tried = {FaqId(k): v for k, v in words[0].items()}, None
            run.failures += [f"round {run.rounds}: {each}" for each in words[1]]
            moment = "started"
        elif kind == "tried":
            if moment == "started" and not at_start:
                child.kill_after(draw.uniform(0.0, LONGEST_S))
            moment, known.tried = "editing", tuple(words)
        elif kind == "done":
            acknowledge(known, run, *words)
            moment = "between edits"
    os.kill(beside, signal.SIGKILL)
    if os.waitstatus_to_exitcode(os.waitpid(beside, 0)[1]) != -signal.SIGKILL:
        run.failures.append(f"round {run.rounds}, beside it: {os.read(reading, 10_000).decode()}")
    os.close(reading)
    if child.exit_code() == -signal.SIGKILL:
        run.killed[moment] += 1
    if moment == "starting" and not at_start and not run.failures:
        run.failures.append(f"round {run.rounds}: it did not start within {STUCK_S} s")
    run.rounds += 1


def acknowledge(
    known: Acknowledged, run: Run, _kind: str, entry_id: str, text: str | None, synced: bool
) -> None:
    old = known.live.pop(FaqId(entry_id), None)
    known.gone = {*list(known.gone)[-40:], *([old] if old else [])}
    if text is not None:
        known.live[FaqId(entry_id)] = text
    known.tried = None
    known.count += 1
    if not synced:
        run.failures.append(f"round {run.rounds}: the index could not follow an edit")


def warm_up() -> None:
    """Read what every process would read, once for all."""
    Analyser().words("栈 stack")
    load_examples()
    NgramGuard.load()


def run_rounds(rounds: int, *, home: Path, database: str | None, seed: int) -> dict[str, object]:
    """Play so many rounds; stops at the first that finds the platform broken."""
    warm_up()
    begun = time.monotonic()
    run, known = Run(), set_up(home, database)
    while run.rounds < rounds and not run.failures:
        play(run, known, home, database, seed + run.rounds)
    if not run.failures:  # what the last one left is looked at, too
        child = Child(lambda out: last_look(home, database, known, out), seconds=STUCK_S)
        run.failures += [str(each) for words in child.lines() for each in words]
        run.failures += ["the last look failed"] if child.exit_code() else []
    return {
        "store": "PostgreSQL" if database else "SQLite",
        "rounds": run.rounds,
        "killed_while": dict(run.killed),
        "starts_that_met_left_over_files": run.left_over,
        "edits_acknowledged": known.count,
        "failures": run.failures,
        "seed": seed,
        "seconds": round(time.monotonic() - begun, 1),
    }


def last_look(home: Path, database: str | None, known: Acknowledged, out: int) -> None:
    _, faults = faults_after_start(start(home, database), known)
    os.write(out, (json.dumps(faults) + "\n").encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--database", help="PostgreSQL; a SQLite file in the data folder when left out")
    parser.add_argument(
        "--home", type=Path, help="a new data folder; one that is removed again when left out"
    )
    parser.add_argument("--seed", type=int, default=20240601)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="vta-kill-") as place:
        home = options.home or Path(place) / "home"
        found = run_rounds(options.rounds, home=home, database=options.database, seed=options.seed)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    sys.stdout.write(json.dumps({"commit": commit.stdout.strip(), **found}, ensure_ascii=False) + "\n")
    sys.exit(1 if found["failures"] else 0)


if __name__ == "__main__":
    main()
