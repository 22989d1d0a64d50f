"""A server that is killed loses nothing that it acknowledged.

Killing a process proves that acknowledgement comes after the commit and that no half record shows; it does
not prove what a power cut does, which rests on SQLite's `synchronous = FULL`.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from services.clock import SystemClock
from services.store.engine import sqlite_url
from services.stores import open_stores
from vta.languages import Language
from vta.types.courses import Course, CourseId, SessionId

ROUNDS = 10


def record_until_killed(url: str, name: str, after_s: float) -> list[tuple[str, str]]:
    """The turns and sessions acknowledged by a process that was killed `after_s` seconds after the first."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    script = Path(__file__).with_name("record_turns.py")
    process = subprocess.Popen(
        [sys.executable, str(script), url, name], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    killer = threading.Timer(after_s, process.kill)
    killer.start()
    lines += process.stdout.readlines()
    killer.join()
    process.stdout.close()
    assert process.wait() == -9
    acknowledged = [line.split() for line in lines if line.endswith("\n")]
    return [(turn, session) for turn, session in acknowledged]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kill -9 not proven: this system has no signals")
def test_every_acknowledged_turn_survives_kill_9(tmp_path):
    """Killed ten times at random moments: what was acknowledged is there, whole and in order."""
    url = sqlite_url(tmp_path / "vta.db")
    stores = open_stores(url, SystemClock())
    course = CourseId("ds")
    stores.courses.add(Course(id=course, name="ds", domains=(), language=Language.EN))
    moments = random.Random(20240301)
    acknowledged = []
    for round_ in range(ROUNDS):
        acknowledged += record_until_killed(url, f"r{round_}", moments.uniform(0.0, 0.1))
    assert len(acknowledged) >= ROUNDS

    with stores.engine.connect() as connection:
        assert connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
        assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
        sessions = connection.execute(text("SELECT id FROM sessions")).scalars().all()
    stored = set()
    for session in sessions:
        turns = stores.sessions.turns(course, SessionId(session))
        assert [turn.number for turn in turns] == list(range(1, len(turns) + 1))
        for turn in turns:
            assert (turn.question, turn.answer.text) == (f"q {turn.id}", f"{turn.id} " * 2000)
            stored.add((turn.id, turn.session_id))
    assert set(acknowledged) <= stored
    assert len(stored) <= len(acknowledged) + ROUNDS  # at most the one turn under way when it was killed
    stores.close()
