"""How long every page of the console takes in a large course.

python -m benchmarks console --faq 5000 --turns 50000 --loads 40

Fills a new data folder with a course of FAQ pairs and turns (seed 0: 40,000 different wordings, answers of
about 1.5 kB, 1,000 passages, 2,000 questions that wait for a TA), serves it on a local port, logs in with an
instructor's key and loads each page again and again over HTTP. `first_ms` is the first load of a page in the
process, which the percentiles do not count; after it the instructor reads for a while. One page after
another, nobody else on the server; then three what-if replays of 200 questions.
"""

from __future__ import annotations

import random
import socket
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from sqlalchemy import insert

from services.app import create_app
from services.clock import SystemClock
from services.dialogue.rows import facts_of
from services.rendering.answer_json import answer_to_json
from services.settings import Settings
from services.store import tables
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.types.answers import Answer, Citation, Route, TraceStep, Turn
from vta.types.concepts import ConceptCard
from vta.types.courses import Course, CourseId, PairId, Role, SessionId, TurnId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft
from vta.types.pairs import QAPair, Source
from vta.types.questions import IntentLabel, IntentPrediction, Position, Question

COURSE = CourseId("large")
WAITING = 2000
WORDINGS = 40_000
READING_S = 4.0
BATCH = 2000
_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ter",
    "nu",
    "sol",
    "ven",
    "dra",
    "pi",
    "qua",
    "res",
    "tan",
    "bel",
    "cor",
    "fy",
)
_ROUTES = (Route.DIRECT, Route.CHAIN_OF_TEACH, Route.CHAIN_OF_TEACH, Route.CHIT_CHAT, Route.UNANSWERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Milliseconds of a page from the request to its last byte.

    `cpu` is what the processors spent on it, server and client together, which other work on the machine
    hardly adds to.
    """

    page: str
    status: int
    bytes: int
    first_ms: float
    p50_ms: float
    p95_ms: float
    cpu_p50_ms: float
    cpu_p95_ms: float


class Words:
    """Made-up words and questions, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.words = ["".join(self.draw.choices(_SYLLABLES, k=3)) for _ in range(8000)]

    def question(self) -> str:
        return (
            f"What is the {' '.join(self.draw.choices(self.words, k=4))} of a {self.draw.choice(self.words)}?"
        )

    def text(self, words: int) -> str:
        return " ".join(self.draw.choices(self.words, k=words)) + "."


def fill(platform: Platform, *, faq: int, turns: int, waiting: int = 0) -> None:
    """A course with so many entries and turns, and questions for a TA among those (unset, one in 25)."""
    every = turns // waiting if waiting else 50_000 // WAITING
    words = Words(seed=0)
    course = Course(id=COURSE, name="Large", domains=("made up",), language=Language.EN)
    platform.stores.courses.add(course)
    questions = list(dict.fromkeys(words.question() for _ in range(faq * 2)))[:faq]
    drafts = [FaqDraft(question=question, answer=words.text(60)) for question in questions]
    platform.stores.faq.add(COURSE, drafts, editor="benchmark")
    notes = CourseDocument(path="notes.md", sha256="0", pairs=tuple(_passage(words, n) for n in range(1000)))
    platform.stores.documents.apply(COURSE, put=[notes])
    platform.knowledge.current()
    wordings = [words.question() for _ in range(WORDINGS)]
    for start in range(0, turns, BATCH):
        batch = [_turn(words, wordings, n) for n in range(start, min(start + BATCH, turns))]
        _insert(platform, batch, every=every)


def _passage(words: Words, number: int) -> QAPair:
    return QAPair(
        id=PairId(f"p{number}"),
        course_id=COURSE,
        source=Source.MATERIAL,
        question=words.text(4),
        answer=words.text(80),
        domains=("made up",),
        document="notes.md",
    )


def _turn(words: Words, wordings: Sequence[str], number: int) -> tuple[Question, Answer]:
    draw = words.draw
    position = Position(video=f"{draw.randrange(40):02}.srt", second=draw.uniform(0, 900))
    session = SessionId(f"s{number // 2}")
    question = Question(
        course_id=COURSE,
        text=wordings[int(draw.paretovariate(0.3)) % len(wordings)],
        session_id=session,
        learner_id=f"learner-{draw.randrange(2000)}",
        position=position if number % 2 else None,
    )
    cards = [
        ConceptCard(name=name, definition=words.text(12), domains=("made up",), prerequisites=())
        for name in draw.choices(words.words[:300], k=draw.randrange(3))
    ]
    answer = Answer(
        turn_id=TurnId(uuid.UUID(int=draw.getrandbits(128)).hex),
        session_id=session,
        course_id=COURSE,
        route=draw.choice(_ROUTES),
        text=words.text(40),
        citations=(Citation(n=1, pair_id=PairId("p"), source=Source.FAQ, title="t", passage=words.text(60)),),
        concepts=tuple({card.name: card for card in cards}.values()),
        intent=IntentPrediction(label=IntentLabel.SIMPLE, chit_chat=0.1, probabilities={}),
        ranking=None,
        standalone_question=question.text,
        degraded=None,
        actions=("ask_ta", "feedback"),
        trace=(TraceStep(stage="rank", decision="x", ms=draw.lognormvariate(3, 1)),),
    )
    return question, answer


def _insert(platform: Platform, turns: Sequence[tuple[Question, Answer]], *, every: int) -> None:
    draw = random.Random(len(turns))
    now = SystemClock().now()
    sessions: dict[str, dict[str, object]] = {}
    rows, facts, thumbs, waiting = [], [], [], []
    for n, (question, answer) in enumerate(turns):
        asked = now - timedelta(seconds=draw.uniform(60, 29 * 86_400))
        learner = hex(hash(question.learner_id) % 2**64)
        opened = {"id": answer.session_id, "course_id": COURSE, "learner_id": learner, "created_at": asked}
        sessions.setdefault(answer.session_id, opened)
        row = {"session_id": answer.session_id, "number": n % 2 + 1, "question": question.text}
        rows.append({"id": answer.turn_id, **row, "answer": answer_to_json(answer), "created_at": asked})
        turn = Turn(
            id=answer.turn_id,
            session_id=answer.session_id,
            course_id=COURSE,
            number=n % 2 + 1,
            question=question.text,
            answer=answer,
            created_at=asked,
        )
        facts.append(facts_of(turn, question.position))
        if n % 10 < 3:
            rating = "up" if n % 10 < 2 else "down"
            thumbs.append({"turn_id": answer.turn_id, "rating": rating, "created_at": asked})
        if n % every == 0:
            entry = {"turn_id": answer.turn_id, "state": "waiting", "created_at": asked}
            waiting.append({"id": uuid.uuid4().hex, **entry})
    with platform.stores.engine.begin() as connection:
        for table, values in (
            (tables.sessions, list(sessions.values())),
            (tables.turns, rows),
            (tables.turn_facts, facts),
            (tables.feedback, thumbs),
            (tables.waiting_questions, waiting),
        ):
            connection.execute(insert(table), values)


@contextmanager
def served(platform: Platform) -> Iterator[str]:
    """The address of the platform on a free port, until the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(create_app(platform), log_level="warning", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30.0)
        listener.close()


@contextmanager
def logged_in(platform: Platform) -> Iterator[httpx.Client]:
    """A client of the served platform in an instructor's session, with the instructor's key."""
    key, _ = platform.stores.keys.make(COURSE, Role.INSTRUCTOR)
    with served(platform) as address, httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
        assert client.post("/console/log-in", data={"key": key, "name": "B"}).status_code == 303
        client.headers["Authorization"] = f"Bearer {key}"
        yield client


def pages(platform: Platform) -> Sequence[str]:
    """The address of every page, with ids that are there."""
    home = f"/console/{COURSE}"
    entry = platform.stores.faq.entries(COURSE)[0].id
    waiting = platform.stores.asked.all_questions(COURSE, "waiting")[0].id
    return (
        f"{home}/inbox",
        f"{home}/inbox/answer?q={waiting}",
        f"{home}/faq",
        f"{home}/faq?search=kalomi&page=2",
        f"{home}/faq/new",
        f"{home}/faq/{entry}",
        f"{home}/faq/import",
        f"{home}/materials",
        f"{home}/graph",
        f"{home}/graph/edits",
        f"{home}/settings",
        f"{home}/preview",
        f"{home}/analytics",
        f"{home}/analytics/csv",
        f"{home}/analytics/review",
    )


def measure(client: httpx.Client, page: str, loads: int) -> Measured:
    """One page, loaded once and then `loads` times more."""
    times, spent = [], []
    for number in range(loads + 1):
        time.sleep(READING_S if number == 1 else 0)
        start, start_cpu = time.perf_counter(), time.process_time()
        reply = client.get(page)
        times.append((time.perf_counter() - start) * 1000)
        spent.append((time.process_time() - start_cpu) * 1000)
    return Measured(
        page=page.replace(str(COURSE), "COURSE"),
        status=reply.status_code,
        bytes=len(reply.content),
        first_ms=round(times[0], 1),
        p50_ms=round(statistics.median(times[1:]), 1),
        p95_ms=percentile_95(times[1:]),
        cpu_p50_ms=round(statistics.median(spent[1:]), 1),
        cpu_p95_ms=percentile_95(spent[1:]),
    )


def replay(client: httpx.Client) -> float:
    """Seconds in which the last 200 questions are asked again with one more entry."""
    body = {"entry": {"question": "What is the kalomi?", "answer": "x"}, "limit": 200}
    start = time.perf_counter()
    reply = client.post(f"/v1/courses/{COURSE}/replay", json=body)
    reply.raise_for_status()
    return round(time.perf_counter() - start, 2)


def percentile_95(values: Sequence[float]) -> float:
    """The 95th percentile, to a tenth."""
    return round(statistics.quantiles(values, n=20, method="inclusive")[-1], 1)


def run(*, faq: int = 5000, turns: int = 50_000, loads: int = 40) -> dict[str, Any]:
    """Milliseconds of every page, and seconds of three replays."""
    with tempfile.TemporaryDirectory() as folder:
        platform = build_platform(Settings(home=Path(folder)))
        fill(platform, faq=faq, turns=turns)
        addresses = pages(platform)
        with logged_in(platform) as client:
            measured = [asdict(measure(client, page, loads)) for page in addresses]
            replays = [replay(client) for _ in range(3)]
    return {"faq": faq, "turns": turns, "loads": loads, "pages": measured, "replay_of_200_s": replays}
