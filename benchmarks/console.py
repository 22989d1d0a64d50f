"""The console over a large course: every page, and the replay of real questions, timed over a real socket.

.venv/bin/python benchmarks/console.py --pairs 5000 --turns 50000

5,000 FAQ pairs and 50,000 turns of made-up questions in one course, 300 of them waiting for a TA. Each page
is opened several times after one that is not counted; the pages share the machine with the server.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import statistics
import tempfile
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import uvicorn
from sqlalchemy import insert

from services.answer_json import answer_to_json
from services.dialogue_api.app import create_app
from services.settings import Settings
from services.storage import tables
from services.wiring import Platform, build_platform
from vta.types import (
    Answer,
    Course,
    CourseDocument,
    CourseId,
    FaqDraft,
    IntentLabel,
    IntentPrediction,
    Language,
    PairId,
    QAPair,
    Role,
    Route,
    SessionId,
    Source,
    TurnId,
)

SEED, ROUNDS = 20_261_121, 20
COURSE = Course(id=CourseId("large"), name="Large", domains=("Computing",), language=Language.EN)
_SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu".split()


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=50_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        platform = build_platform(Settings(home=Path(home)))
        entry = fill(platform, given.pairs, given.turns)
        platform.knowledge.current()
        key, _ = platform.stores.keys.make(COURSE.id, Role.INSTRUCTOR)
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(platform), log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(base_url=address, timeout=120.0, trust_env=False) as client:
            measured = measure(client, key, entry)
        server.should_exit = True
        thread.join()
        listener.close()
    print(json.dumps({"pairs": given.pairs, "turns": given.turns, "rounds": ROUNDS, **measured}, indent=1))


def measure(client: httpx.Client, key: str, entry: str) -> dict[str, object]:
    """Milliseconds of each page, and seconds of three replays of 200 questions."""
    client.post("/console/log-in", data={"key": key, "name": "Ann"})
    home = f"/console/{COURSE.id}"
    waiting = client.get(f"{home}/inbox").text.split("/inbox/answer?q=")[1].split('"')[0].split("&")[0]
    pages = {
        "inbox": "inbox",
        "answer": f"inbox/answer?q={waiting}",
        "faq": "faq",
        "faq search": "faq?search=ba",
        "entry": f"faq/{entry}",
        "import": "faq/import",
        "materials": "materials",
        "graph": "graph",
        "graph edits": "graph/edits",
        "settings": "settings",
        "preview": "preview",
    }
    found: dict[str, dict[str, float]] = {}
    for name, path in pages.items():
        times = [timed(lambda path=path: client.get(f"{home}/{path}")) for _ in range(ROUNDS + 1)][1:]
        found[name] = {
            "p50_ms": round(statistics.median(times) * 1000, 1),
            "p95_ms": round(sorted(times)[int(0.95 * len(times)) - 1] * 1000, 1),
        }
    body = {"entry": {"question": "ba be bi", "answer": "x"}, "limit": 200}
    headers = {"Authorization": f"Bearer {key}"}
    replays = [
        timed(lambda: client.post(f"/v1/courses/{COURSE.id}/replay", json=body, headers=headers))
        for _ in range(3)
    ]
    return {"pages": found, "replay_of_200_s": [round(each, 2) for each in replays]}


def timed(ask: object) -> float:
    """Seconds of one request, which must succeed."""
    start = time.perf_counter()
    reply = ask()  # type: ignore[operator]
    assert reply.status_code == 200, reply.text
    return time.perf_counter() - start


def fill(platform: Platform, pairs: int, turns: int) -> str:
    """Entries, passages, turns and waiting questions; returns the id of an entry."""
    draw = random.Random(SEED)

    def words(count: int) -> str:
        return " ".join("".join(draw.choices(_SYLLABLES, k=3)) for _ in range(count))

    platform.stores.courses.add(COURSE)
    drafts = [FaqDraft(question=f"{words(6)} {n}?", answer=words(30)) for n in range(pairs)]
    entries = platform.stores.faq.add(COURSE.id, drafts, editor="Bo")
    passages = tuple(
        QAPair(
            id=PairId(f"p{n}"),
            course_id=COURSE.id,
            source=Source.MATERIAL,
            question=words(4),
            answer=words(80),
            domains=COURSE.domains,
            document="notes.md",
        )
        for n in range(1_000)
    )
    platform.stores.documents.apply(
        COURSE.id, put=[CourseDocument(path="notes.md", sha256="0", pairs=passages)]
    )
    probabilities = dict.fromkeys(IntentLabel, 0.0) | {IntentLabel.SIMPLE: 1.0}
    intent = IntentPrediction(label=IntentLabel.SIMPLE, chit_chat=0.0, probabilities=probabilities)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    sessions, rows, waiting = [], [], []
    for n in range(turns):
        session, turn = SessionId(f"s{n // 4}"), TurnId(uuid.UUID(int=n).hex)
        question = f"{draw.choice(drafts).question[:-1]} {words(2)}?"
        at = start + timedelta(minutes=n)
        if n % 4 == 0:
            sessions.append({"id": session, "course_id": COURSE.id, "learner_id": None, "created_at": at})
        answer = Answer(
            turn_id=turn,
            session_id=session,
            course_id=COURSE.id,
            route=Route.UNANSWERED,
            text=words(30),
            citations=(),
            concepts=(),
            intent=intent,
            ranking=None,
            standalone_question=question,
            degraded=None,
            actions=("ask_ta", "feedback"),
            trace=(),
        )
        rows.append(
            {
                "id": turn,
                "session_id": session,
                "number": n % 4 + 1,
                "question": question,
                "answer": answer_to_json(answer),
                "created_at": at,
            }
        )
        if n % max(turns // 300, 1) == 0:
            waiting.append(
                {"id": uuid.UUID(int=n).hex, "turn_id": turn, "state": "waiting", "created_at": at}
            )
    with platform.stores.engine.begin() as connection:
        connection.execute(insert(tables.sessions), sessions)
        connection.execute(insert(tables.turns), rows)
        connection.execute(insert(tables.waiting_questions), waiting)
    return str(entries[0].id)


if __name__ == "__main__":
    main()
