"""How long the pages of the platform's admins take with many courses and people.

python -m benchmarks platform_pages --courses 1000 --people 200

Fills a new data folder (seed 0) with courses, accounts that teach five courses each, facts of turns, usage of
two models on each day of a month, waiting questions and 100,000 entries of the audit log, and loads each page
again and again over HTTP as `benchmarks/console.py` does.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Table, insert

from benchmarks.console import measure, served
from services.people.service import digest_of_password
from services.people.store import PlatformRole
from services.settings import Settings
from services.store import tables
from services.wiring import Platform, build_platform

PASSWORD = "correct horse battery"  # of the benchmark's admin
ENTRIES = 100_000
PAGES = (
    "courses",
    "courses?search=course+99",
    "courses?page=20",
    "people",
    "people?search=7",
    "lti",
    "log",
    "log?course=c0007&person=Person+1",
)


def fill(platform: Platform, *, courses: int, people: int, turns: int) -> None:
    """All that the pages tell of, straight into the tables."""
    draw, now = random.Random(0), datetime.now(UTC)
    ids = [f"c{number:04}" for number in range(courses)]
    teachers = [f"p{number}" for number in range(people)]
    asked = [(f"t{number}", draw.choice(ids)) for number in range(turns)]

    def moment() -> datetime:
        return now - timedelta(seconds=draw.uniform(60, 200 * 86_400))

    rows: dict[Table, Iterator[dict[str, Any]]] = {
        tables.courses: (
            {"id": each, "name": f"Course {each}", "domains": ["made up"], "language": "en"} for each in ids
        ),
        tables.people: (
            {"id": each, "email": f"{each}@uni.example", "name": f"Person {each[1:]}", "role": "member"}
            | {"created_at": now}
            for each in teachers
        ),
        tables.memberships: (
            {"person_id": each, "course_id": course, "role": "instructor", "created_at": now}
            for each in teachers
            for course in draw.sample(ids, 5)
        ),
        tables.sessions: (
            {"id": f"s{turn}", "course_id": course, "created_at": now} for turn, course in asked
        ),
        tables.turns: (
            {"id": turn, "session_id": f"s{turn}", "number": 1, "question": "?", "answer": {}}
            | {"created_at": now}
            for turn, _ in asked
        ),
        tables.turn_facts: (
            {"turn_id": turn, "course_id": course, "asked_at": moment(), "session_id": f"s{turn}"}
            | {"number": 1, "question": "?", "route": "direct", "failed": False, "milliseconds": 1.0}
            | {"concepts": []}
            for turn, course in asked
        ),
        tables.waiting_questions: (
            {"id": turn, "turn_id": turn, "state": "waiting", "created_at": now} for turn, _ in asked[::20]
        ),
        tables.model_usage: (
            {"day": f"{now:%Y-%m}-{day:02}", "course_id": course, "model": model, "calls": 1}
            | {"uncounted": 0, "prompt_tokens": 1000, "completion_tokens": 100}
            for day in range(1, now.day + 1)
            for course in ids
            for model in ("large", "small")
        ),
        tables.audit_log: (
            {"at": moment(), "event": "settings", "actor_kind": "person", "actor_id": draw.choice(teachers)}
            | {"actor_name": f"Person {draw.randrange(people)}", "course_id": draw.choice(ids), "detail": "x"}
            for _ in range(ENTRIES)
        ),
    }
    with platform.stores.engine.begin() as connection:
        for table, values in rows.items():
            _insert(connection, table, list(values))


def _insert(connection: Any, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), 5000):
        connection.execute(insert(table), rows[start : start + 5000])


def run(*, courses: int = 1000, people: int = 200, turns: int = 200_000, loads: int = 20) -> dict[str, Any]:
    """Milliseconds of every page."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), llm_prompt_price=1.0, llm_completion_price=2.0)
        platform = build_platform(settings)
        fill(platform, courses=courses, people=people, turns=turns)
        admin = platform.stores.people.add(name="Admin", email="a@uni.example", role=PlatformRole.ADMIN)
        platform.stores.people.set_password(admin.id, digest_of_password(PASSWORD))
        with (
            served(platform) as address,
            httpx.Client(base_url=address, timeout=60, trust_env=False) as client,
        ):
            form = {"email": admin.email, "password": PASSWORD}
            assert client.post("/console/log-in", data=form).status_code == 303
            measured = [asdict(measure(client, f"/console/-/platform-{page}", loads)) for page in PAGES]
    return {"courses": courses, "people": people, "turns": turns, "loads": loads, "pages": measured}
