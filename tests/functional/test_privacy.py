"""Learners: under pseudonyms in the store, exported, erased, swept when old, unknown to model providers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from served_platform import Served
from small_platform import KeywordIntents
from sqlalchemy import update
from starlette.testclient import TestClient
from typer.testing import CliRunner

from services.app import create_app
from services.cli.main import app
from services.learners.service import LearnerService
from services.settings import Settings
from services.store import tables
from services.wiring import build_platform
from vta.types.courses import CourseId, Role

COURSE = "stacks-en"
LEARNER = "student-4711@example.edu"


def ask(
    api: Served, learner: str | None = LEARNER, session: str | None = None, **more: Any
) -> dict[str, Any]:
    body = {
        "question": "Why does recursion need a stack?",
        "learner_id": learner,
        "session_id": session,
        **more,
    }
    reply = api.client.post(f"/v1/courses/{COURSE}/dialogue", json=body)
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def export(api: Served, learner: str = LEARNER, course: str = COURSE) -> Any:
    key, _ = api.platform.stores.keys.make(CourseId(course), Role.INSTRUCTOR)
    headers = {"Authorization": f"Bearer {key}"}
    return api.client.get(f"/v1/courses/{course}/learners/{learner}", headers=headers)


def files_holding(home: Path, text: str) -> list[str]:
    needle = text.encode()
    return [file.name for file in home.rglob("*") if file.is_file() and needle in file.read_bytes()]


def test_the_store_holds_no_id_of_a_platform(serve):
    """Not in any file of the data folder; the same learner has another pseudonym in another course."""
    api = serve()
    ask(api)
    api.client.post("/v1/courses/stacks-zh/dialogue", json={"question": "什么是栈？", "learner_id": LEARNER})
    home = api.platform.settings.home
    assert files_holding(home, LEARNER) == []
    with closing(sqlite3.connect(home / "vta.db")) as connection:
        kept = [row[0] for row in connection.execute("SELECT learner_id FROM sessions")]
    assert len(set(kept)) == 2
    assert all(each.startswith("learner:") for each in kept)


def test_a_learner_is_exported_and_erased_by_the_platforms_id(serve):
    """All that was asked, where, and what was thought of it; afterwards nothing."""
    api = serve()
    first = ask(api, position={"video": "01.srt", "second": 12.5})
    session, turn = first["session_id"], first["turn_id"]
    ask(api, session=session)
    ask(api, "somebody-else")
    address = f"/v1/courses/{COURSE}"
    api.client.post(f"{address}/turns/{turn}/feedback", json={"rating": "down", "comment": "too long"})
    api.client.post(f"{address}/turns/{turn}/ask-ta")
    told = export(api).json()
    assert told["learner_id"] == LEARNER
    (kept,) = told["sessions"]
    assert kept["session_id"] == session
    assert [each["number"] for each in kept["turns"]] == [1, 2]
    assert kept["turns"][0]["position"] == {
        "unit": None, "video": "01.srt", "second": 12.5, "page": None, "heading": None
    }  # fmt: skip
    assert kept["turns"][0]["feedback"]["comment"] == "too long"
    assert (kept["turns"][0]["ta_question"], kept["turns"][0]["ta_messages"]) == ("waiting", [])
    assert kept["turns"][0]["answer"]["text"] == first["text"]

    assert api.client.get(f"{address}/learners/{LEARNER}").status_code == 401
    assert api.client.delete(f"{address}/learners/{LEARNER}").status_code == 204
    assert export(api).json()["sessions"] == []
    assert len(export(api, "somebody-else").json()["sessions"]) == 1


def test_the_shell_exports_and_erases(serve):
    """`vta privacy`, over the same data folder."""
    api = serve()
    ask(api)
    home = str(api.platform.settings.home)
    told = CliRunner().invoke(app, ["privacy", "export", COURSE, LEARNER, "--home", home])
    assert len(json.loads(told.stdout)["sessions"]) == 1
    told = CliRunner().invoke(app, ["privacy", "erase", COURSE, LEARNER, "--home", home, "--json"])
    assert json.loads(told.stdout) == {"sessions": 1}


def test_old_turns_go_with_all_that_hangs_on_them(serve):
    """What is older than the days goes, thumbs and waiting questions too; what is younger stays."""
    api = serve()
    old, mixed = ask(api, "old"), ask(api, "mixed")
    young = ask(api, "mixed", session=mixed["session_id"])
    for answer in (old, mixed):
        turn = f"/v1/courses/{COURSE}/turns/{answer['turn_id']}"
        api.client.post(f"{turn}/feedback", json={"rating": "up"})
        api.client.post(f"{turn}/ask-ta")
    stores = api.platform.stores
    long_ago = datetime.now(UTC) - timedelta(days=31)
    with stores.engine.begin() as connection:
        aged = tables.turns.c.id.in_([old["turn_id"], mixed["turn_id"]])
        connection.execute(update(tables.turns).where(aged).values(created_at=long_ago))
        connection.execute(update(tables.sessions).values(created_at=long_ago))
    stores.privacy.sweep(30)
    assert export(api, "old").json()["sessions"] == []
    (left,) = export(api, "mixed").json()["sessions"]
    assert [each["turn_id"] for each in left["turns"]] == [young["turn_id"]]
    with stores.engine.begin() as connection:
        for table in (tables.feedback, tables.waiting_questions):
            assert connection.execute(table.select()).all() == []
        assert len(connection.execute(tables.turn_facts.select()).all()) == 1


def test_a_server_sweeps_once_when_it_starts(serve, monkeypatch):
    """With VTA_RETENTION_DAYS, what is too old is erased in one sweep, beside the first requests."""
    swept: list[int] = []
    sweep = LearnerService.sweep
    monkeypatch.setattr(LearnerService, "sweep", lambda learners: swept.append(sweep(learners)))
    api = serve()
    ask(api)
    with api.platform.stores.engine.begin() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=8)
        connection.execute(update(tables.turns).values(created_at=long_ago))
        connection.execute(update(tables.sessions).values(created_at=long_ago))
    settings = Settings(home=api.platform.settings.home, retention_days=7)
    again = build_platform(settings, intents=KeywordIntents())
    swept.clear()
    with TestClient(create_app(again)):
        pass
    assert len(swept) == 1
    assert export(api).json()["sessions"] == []


@pytest.mark.parametrize("stream", [False, True])
def test_no_model_provider_sees_an_id(serve, scripted_llm, stream):
    """Neither learner nor session nor turn is in any header, address or body that a provider gets."""
    scripted_llm.play(scripted_llm.ok("A stack keeps the calls [1]."))
    api = serve(llm_base_url=scripted_llm.base_url, llm_model=scripted_llm.model, beta=99.0)
    first = ask(api)
    body = {"question": "And why is that?", "learner_id": LEARNER, "session_id": first["session_id"]}
    reply = api.client.post(f"/v1/courses/{COURSE}/dialogue", json={**body, "stream": stream})
    assert reply.status_code == 200
    sent = [json.dumps([r.path, r.headers, r.body], ensure_ascii=False) for r in scripted_llm.requests]
    assert len(sent) >= 2
    pseudonym = api.platform.stores.sessions._learners.pseudonym(CourseId(COURSE), LEARNER)
    for text in sent:
        for secret in (LEARNER, pseudonym, first["session_id"], first["turn_id"]):
            assert secret not in text


def test_a_server_sweeps_while_it_runs(serve, monkeypatch):
    """What grows too old after the start goes too, when the next day has passed."""
    monkeypatch.setattr("services.app.DAY_S", 0.02)
    api = serve(retention_days=7)
    ask(api)
    young = ask(api, "young")["session_id"]
    with api.platform.stores.engine.begin() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=8)
        old = tables.sessions.c.id != young
        connection.execute(
            update(tables.turns).where(tables.turns.c.session_id != young).values(created_at=long_ago)
        )
        connection.execute(update(tables.sessions).where(old).values(created_at=long_ago))
    for _ in range(1000):
        if export(api).json()["sessions"] == []:
            break
    assert export(api).json()["sessions"] == []
    assert len(export(api, "young").json()["sessions"]) == 1
