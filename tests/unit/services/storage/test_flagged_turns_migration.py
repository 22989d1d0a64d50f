"""A database from before turns kept the guard's verdict: what was audited is flagged."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from importlib.resources import as_file, files
from pathlib import Path

from alembic import command
from alembic.config import Config

from services.clock import SystemClock
from services.rendering.answer_json import answer_to_json
from services.storage.engine import open_engine, sqlite_url
from services.storage.stores import open_stores
from services.storage.transactions import writing
from vta.types import Answer, CourseId, IntentLabel, IntentPrediction, Route, SessionId, TurnId

MOMENT = "2025-03-01 08:00:00.000000"


def answer(turn: str) -> str:
    body = Answer(
        turn_id=TurnId(turn),
        session_id=SessionId("s"),
        course_id=CourseId("ds"),
        route=Route.DIRECT,
        text="So.",
        citations=(),
        concepts=(),
        intent=IntentPrediction(label=IntentLabel.SIMPLE, chit_chat=0.0, probabilities={}),
        ranking=None,
        standalone_question="Why?",
        degraded=None,
        actions=(),
        trace=(),
    )
    return json.dumps(answer_to_json(body))


def test_an_audited_turn_of_an_older_database_is_flagged(tmp_path: Path) -> None:
    """However it was answered then; the others are not."""
    url = sqlite_url(tmp_path / "vta.db")
    engine = open_engine(url)
    with as_file(files("services.storage") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder))
        with writing(engine) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "0015")
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "vta.db")) as old:
        old.execute("INSERT INTO courses (id, name, domains, language) VALUES ('ds', 'D', '[]', 'en')")
        old.execute("INSERT INTO sessions VALUES ('s', 'ds', NULL, ?)", (MOMENT,))
        for number, turn in enumerate(("t1", "t2"), start=1):
            row = (turn, number, answer(turn), MOMENT)
            old.execute("INSERT INTO turns VALUES (?, 's', ?, 'Why?', ?, ?)", row)
        old.execute("INSERT INTO guard_audit VALUES ('t2', 'prompt_leak', 0.9, ?)", (MOMENT,))
        old.commit()

    stores = open_stores(url, SystemClock())
    turns = stores.sessions.turns(CourseId("ds"), SessionId("s"))
    stores.close()
    assert [(turn.id, turn.flagged) for turn in turns] == [("t1", False), ("t2", True)]
