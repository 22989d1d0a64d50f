"""Retention while a server runs: a sweep a day, by a clock that the test drives."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import factories as make
import pytest
from clocks import SetClock
from plain_faults import plain
from sql_stores import new_stores
from sqlalchemy import select

from services.learners.service import DAY_S, LearnerRecords
from services.settings import Settings
from services.store import tables
from vta.errors import UpstreamFailed
from vta.types.courses import CourseId
from vta.types.questions import Question

DS = CourseId("ds")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)


DAYS = 10


@pytest.fixture
def clock():
    return SetClock(START)


@pytest.fixture
def stores(tmp_path, clock):
    opened = new_stores(tmp_path, make.course(DS), clock=clock)
    yield opened
    opened.close()


def ask(stores, number: int) -> None:
    """A turn of its own session at the clock's moment."""
    answer = make.answer(f"t{number}", f"s{number}", DS)
    stores.sessions.record(Question(course_id=DS, text="什么是栈？"), answer)


def kept(stores) -> set[str]:
    with stores.engine.connect() as connection:
        return set(connection.execute(select(tables.turns.c.id)).scalars())


async def serve_for_days(stores, clock, settings, *, is_mine: bool = True) -> list[set[str]]:
    """Serve and ask a question a day; what is kept at the end of each day, just before its sweep."""
    seen: list[set[str]] = []

    async def wait(seconds: float) -> None:
        assert seconds == DAY_S
        if len(seen) == DAYS:
            raise asyncio.CancelledError
        ask(stores, len(seen))
        clock.moment += timedelta(seconds=seconds)
        seen.append(kept(stores))

    records = LearnerRecords(stores=stores, retention_days=settings.retention_days)

    async def asked() -> bool:
        return is_mine

    task = asyncio.create_task(records.sweep_daily(wait=wait, is_mine=asked))
    await asyncio.wait({task})
    assert task.cancelled()
    return seen


async def test_a_server_that_runs_on_keeps_nothing_longer_than_the_days(stores, clock, tmp_path):
    """With three days, a turn is there on the evening of its third day, and gone a day later."""
    seen = await serve_for_days(stores, clock, Settings(home=tmp_path, retention_days=3))
    assert seen[3] == {"t0", "t1", "t2", "t3"}
    assert seen[9] == {"t6", "t7", "t8", "t9"}


async def test_without_retention_days_no_turn_is_swept(stores, clock, tmp_path, monkeypatch):
    """The audit log is, each day."""
    swept = []
    monkeypatch.setattr(type(stores.audit_log), "sweep", lambda log: swept.append(clock.moment))
    seen = await serve_for_days(stores, clock, Settings(home=tmp_path))
    assert len(seen[9]) == 10
    assert len(swept) == 10


async def test_where_another_process_sweeps_this_one_does_not(stores, clock, tmp_path):
    """Nothing is erased here, day after day."""
    seen = await serve_for_days(stores, clock, Settings(home=tmp_path, retention_days=3), is_mine=False)
    assert len(seen[9]) == 10


async def test_a_day_without_the_store_is_made_up_for_on_the_next(
    stores, clock, tmp_path, monkeypatch, caplog
):
    """A failure is logged, and the sweeping goes on."""
    sweep, failures = type(stores.privacy).sweep, [UpstreamFailed(plain("the database is away"))]

    def fail_once(self, days):
        if failures and clock.moment > START + timedelta(days=5):
            raise failures.pop()
        return sweep(self, days)

    monkeypatch.setattr(type(stores.privacy), "sweep", fail_once)
    seen = await serve_for_days(stores, clock, Settings(home=tmp_path, retention_days=3))
    assert "the database is away" in caplog.text
    assert len(seen[6]) == 5
    assert seen[9] == {"t6", "t7", "t8", "t9"}
