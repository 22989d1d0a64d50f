"""A store that does not answer is given up in time, declared as failed, left alone, and found again."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_proxy import Fault, FaultProxy

from services.clock import SystemClock
from services.store import engine as engine_module
from services.store.engine import open_engine, sqlite_url
from services.store.transactions import LEFT_ALONE_S, write
from services.stores import Stores, open_stores
from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.types.courses import Course, CourseId

LIMIT_S = 1.0
COURSE = Course(id=CourseId("ds"), name="ds", domains=(), language=Language.EN)


@pytest.fixture
def proxy(postgres_url: str) -> Iterator[FaultProxy]:
    with FaultProxy.before(postgres_url) as proxy:
        yield proxy
        proxy.set(Fault.NONE)


@pytest.fixture
def stores(postgres_url: str, proxy: FaultProxy) -> Iterator[Stores]:
    opened = open_stores(proxy.instead_of(postgres_url), SystemClock(), timeout_s=LIMIT_S)
    yield opened
    opened.close()


def seconds_to_fail(stores: Stores) -> float:
    """How long a read takes to be declared as failed."""
    begun = time.monotonic()
    with pytest.raises(UpstreamFailed):
        stores.documents.revision()
    return time.monotonic() - begun


@pytest.mark.parametrize("fault", [Fault.HANG, Fault.RESET, Fault.REFUSE])
def test_a_store_that_fails_is_declared_in_time_and_then_left_alone(stores, proxy, fault):
    """A hung server costs each caller its time-out at most; after two, calls fail at once."""
    stores.courses.add(COURSE)
    with proxy.failing(fault):
        with ThreadPoolExecutor(1) as pool:
            waited = [pool.submit(seconds_to_fail, stores).result(timeout=20) for _ in range(2)]
        assert max(waited) < 3 * LIMIT_S + 4  # a ping, then a connection, whose least time-out is 2 s
        assert sum(seconds_to_fail(stores) for _ in range(20)) < 10 * LIMIT_S  # twice that if each waited
    until = time.monotonic() + LEFT_ALONE_S + 10
    while time.monotonic() < until:
        try:
            assert [course.id for course in stores.courses.courses()] == ["ds"]
            break
        except UpstreamFailed:
            threading.Event().wait(0.1)
    else:
        pytest.fail("the store was not found again")


def test_a_slow_store_is_no_failed_one(stores, proxy):
    """What answers within the time-out is waited for, however many answers there are."""
    with proxy.failing(Fault.DELAY, seconds=0.3):
        stores.courses.add(COURSE)
        assert [course.id for course in stores.courses.courses()] == ["ds"]


def test_long_work_has_no_time_out(stores):
    """An import or an erasure may take longer than a question may wait."""
    slow = "SELECT pg_sleep(1.6)"
    write(stores.engine, lambda connection: connection.exec_driver_sql(slow), patient=True)
    with pytest.raises(UpstreamFailed):
        write(stores.engine, lambda connection: connection.exec_driver_sql(slow))
    assert stores.documents.revision() >= 0


def test_a_sqlite_file_that_is_held_too_long_is_a_declared_failure(tmp_path: Path, monkeypatch):
    """The busy time-out of SQLite does for it what the limits above do for PostgreSQL."""
    url = sqlite_url(tmp_path / "vta.db")
    stores = open_stores(url, SystemClock())
    monkeypatch.setattr(engine_module, "BUSY_TIMEOUT_MS", 200)
    busy = open_engine(url)
    holder = sqlite3.connect(tmp_path / "vta.db", isolation_level=None)
    try:
        holder.execute("BEGIN IMMEDIATE").close()
        with pytest.raises(UpstreamFailed, match="in use by another writer"):
            write(busy, lambda connection: connection.exec_driver_sql("DELETE FROM courses"))
    finally:
        holder.close()
        busy.dispose()
        stores.close()


def test_writers_of_one_process_follow_one_another(tmp_path: Path, monkeypatch):
    """They wait for each other before SQLite's lock, which would be refused here at once."""
    url = sqlite_url(tmp_path / "vta.db")
    open_stores(url, SystemClock()).close()
    monkeypatch.setattr(engine_module, "BUSY_TIMEOUT_MS", 0)
    impatient = open_engine(url)
    raised = "UPDATE store_state SET revision = revision + 1"
    try:
        with ThreadPoolExecutor(4) as threads:
            writes = [
                threads.submit(write, impatient, lambda connection: connection.exec_driver_sql(raised))
                for _ in range(40)
            ]
            assert [each.exception() for each in writes] == [None] * 40
    finally:
        impatient.dispose()
