"""A database from before analytics: its turns are counted, its learners go under pseudonyms."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import date
from importlib.resources import as_file, files

from alembic import command
from alembic.config import Config

from services.clock import SystemClock
from services.storage.engine import open_engine, sqlite_url
from services.storage.stores import open_stores
from services.storage.transactions import writing

ANSWER = {
    "route": "chain_of_teach",
    "degraded": {"stage": "language_model", "reason": "timed out"},
    "trace": [{"stage": "a", "decision": "", "ms": 1.5}, {"stage": "b", "decision": "", "ms": 2.0}],
    "concepts": [{"name": "stack"}],
}
MOMENT = "2025-03-01 08:00:00.000000"


def test_turns_and_learners_of_an_older_database_come_along(tmp_path):
    """Route, failure, time and concepts come from the answers; `erase_learner` still finds its learner."""
    url = sqlite_url(tmp_path / "vta.db")
    engine = open_engine(url)
    with as_file(files("services.storage") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder))
        with writing(engine) as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "0008")
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "vta.db")) as old:
        old.execute("INSERT INTO courses (id, name, domains, language) VALUES ('ds', 'D', '[]', 'en')")
        old.executemany(
            "INSERT INTO sessions VALUES (?, 'ds', ?, ?)", [("s1", "ann", MOMENT), ("s2", None, MOMENT)]
        )
        unset = {"stage": "language_model", "reason": "no language model is configured"}
        for turn, session, degraded in (("t1", "s1", ANSWER["degraded"]), ("t2", "s2", unset)):
            answer = json.dumps({**ANSWER, "degraded": degraded})
            old.execute("INSERT INTO turns VALUES (?, ?, 1, 'Why?', ?, ?)", (turn, session, answer, MOMENT))
        old.commit()

    stores = open_stores(url, SystemClock())
    first, second = sorted(
        stores.analytics.facts("ds", date(2025, 3, 1), date(2025, 3, 1)), key=lambda fact: fact.turn_id
    )
    assert (first.route, first.failed, first.milliseconds) == ("chain_of_teach", True, 3.5)
    assert (first.concepts, first.question, first.video) == (("stack",), "Why?", None)
    assert (second.failed, second.learner, second.person) == (False, None, "session s2")
    assert first.learner not in (None, "ann")
    assert stores.sessions.erase_learner("ds", "ann") == 1
    assert [fact.turn_id for fact in stores.analytics.facts("ds", date(2025, 3, 1), date(2025, 3, 1))] == [
        "t2"
    ]
    stores.close()
