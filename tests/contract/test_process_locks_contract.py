"""Locks between processes, of a file and of PostgreSQL: one has it, none outlives its process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from lock_process import LockProcess, lock_process
from sqlalchemy import Engine
from worker_server import until

from services.store.engine import open_engine, sqlite_url
from services.store.process_locks import AdvisoryLocks, FileLocks, alone, open_process_locks


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.server)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        return sqlite_url(tmp_path / "vta.db")
    return str(request.getfixturevalue("postgres_server"))


@pytest.fixture
def two(url: str, tmp_path: Path) -> Iterator[tuple[LockProcess, LockProcess]]:
    with lock_process(url, tmp_path) as one, lock_process(url, tmp_path) as other:
        yield one, other


def test_one_process_has_a_lock_and_other_names_are_free(two):
    """Until it is given back; whoever has it is told so again."""
    one, other = two
    assert one.try_lock("a")
    assert one.try_lock("a")
    assert not other.try_lock("a")
    assert other.try_lock("b")
    one.unlock("a")
    assert other.try_lock("a")
    assert not one.try_lock("a")


def test_a_killed_process_holds_nothing(two):
    one, other = two
    assert one.try_lock("a")
    assert not other.try_lock("a")
    one.kill()
    until(lambda: other.try_lock("a"))  # a server notices a little later


def test_of_those_who_want_to_be_alone_one_is_at_a_time(url, tmp_path):
    """Three threads with engines of their own; the lock is free afterwards."""
    inside, most, engines = 0, [], [open_engine(url) for _ in range(3)]

    def work(engine: Engine) -> None:
        nonlocal inside
        with alone(engine, tmp_path, "writer"):
            inside += 1
            most.append(inside)
            time.sleep(0.05)
            inside -= 1

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, engines * 2))
    for engine in engines:
        engine.dispose()
    assert most == [1] * 6


def test_who_waits_to_be_alone_takes_over_from_a_killed_process(two, url, tmp_path):
    """As from a writer of the index that dies; not before."""
    engine, begun = open_engine(url), Event()

    def take_over() -> bool:
        with alone(engine, tmp_path, "writer"):
            return begun.is_set()

    two[0].stay_alone("writer")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(take_over)
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        begun.set()
        two[0].kill()
        assert waiting.result(30)
    engine.dispose()


async def test_where_no_locks_can_be_kept_everyone_goes_on(tmp_path, caplog):
    """A folder that is none, and a database that is away: both are logged."""
    for locks in (FileLocks(tmp_path / "none" / "locks"), AdvisoryLocks("postgresql://x@127.0.0.1:1/x")):
        assert await locks.try_lock("a")
        assert await locks.try_lock("a")
        await locks.unlock("a")
        await locks.aclose()
    assert caplog.text.count("no locks between processes") >= 2


def test_sqlite_has_locks_in_the_data_folder(tmp_path):
    assert isinstance(open_process_locks(open_engine(sqlite_url(tmp_path / "v.db")), tmp_path), FileLocks)
