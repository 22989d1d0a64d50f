"""Bytes that a turn takes in the store: the two sample courses, one question for each concept, SQLite.

python -m benchmarks turn_size

Writes docs/runs/turn_size.json; docs/sizing.md counts with it.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.languages import Language
from vta.types.questions import Question


def run() -> dict[str, Any]:
    """Compare the packed file before and after."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        platform = build_platform(Settings(home=home))
        try:
            list(create_demo_courses(platform))
            before = packed_size(home / "vta.db")
            turns = asyncio.run(ask(platform))
            after = packed_size(home / "vta.db")
        finally:
            platform.close()
    return {
        "turns": turns,
        "bytes_before": before,
        "bytes_after": after,
        "bytes_a_turn": round((after - before) / turns),
    }


async def ask(platform: Platform) -> int:
    """Ask what each concept is, each question in a session of its own; returns how many turns that made."""
    turns = 0
    graph = platform.knowledge.current().graph
    for course in platform.stores.courses.courses():
        before, after = ("什么是", "？") if course.language is Language.ZH else ("What is ", "?")
        for concept in graph.concepts(course.id):
            text = f"{before}{concept.name}{after}"
            await platform.assistant.answer(Question(course_id=course.id, text=text))
            turns += 1
    return turns


def packed_size(database: Path) -> int:
    """Bytes of the database without free pages."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database.stat().st_size
