"""Retention: a sweep a day, by a clock that the test drives, in one of the processes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import factories as make
import pytest
from clocks import SetClock
from sql_stores import new_stores
from sqlalchemy import select

from services.app import work_alone
from services.learners.service import LearnerService
from services.store import tables
from services.store.process_locks import FileLocks
from vta.types.courses import CourseId
from vta.types.questions import Question

DS = CourseId("ds")


@pytest.mark.parametrize(
    ("retention_days", "last"), [(3, {"t6", "t7", "t8", "t9"}), (None, {f"t{n}" for n in range(10)})]
)
def test_a_sweep_a_day_leaves_nothing_older_than_the_days(tmp_path, monkeypatch, retention_days, last):
    """With three days, a turn goes a day after the evening of its third day. The audit log is swept too."""
    clock = SetClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
    stores = new_stores(tmp_path, make.course(DS), clock=clock)
    learners = LearnerService(stores=stores, retention_days=retention_days)
    audits: list[datetime] = []
    monkeypatch.setattr(type(stores.audit_log), "sweep", lambda log: audits.append(clock.moment))
    seen: list[set[str]] = []
    for number in range(10):
        answer = make.answer(f"t{number}", f"s{number}", DS)
        stores.sessions.record(Question(course_id=DS, text="什么是栈？"), answer)
        clock.moment += timedelta(days=1)
        with stores.engine.connect() as connection:
            seen.append(set(connection.execute(select(tables.turns.c.id)).scalars()))
        learners.sweep()
    stores.close()
    assert seen[3] == {"t0", "t1", "t2", "t3"}
    assert (seen[9], len(audits)) == (last, 10)


async def test_where_another_process_sweeps_this_one_does_not(tmp_path):
    """One that holds the lock does."""

    class HeldElsewhere(FileLocks):
        async def try_lock(self, name: str) -> bool:
            return False

    swept: list[int] = []
    assert await work_alone(HeldElsewhere(tmp_path / "locks"), "sweeper", lambda: swept.append(1)) == 0
    assert swept == []
    assert await work_alone(FileLocks(tmp_path / "locks"), "sweeper", lambda: swept.append(1)) == 0
    assert swept == [1]
