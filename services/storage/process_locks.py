"""Locks by name between the processes of one platform, which end with the process that holds them.

On one data folder they are record locks of one file, on PostgreSQL advisory locks of one connection a process
(not one a lock): so nothing has to expire, and no pool is used up. A name has two places, the lock and the
next in line, so that of two processes that keep asking neither comes in before the other twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from filelock import FileLock
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from services.storage.advisory_locks import AdvisoryLocks
from services.storage.file_locks import FileLocks, lock_place

_PAUSE_S = 0.05


class ProcessLocks(Protocol):
    """Locks that one process at a time has; within a process one caller at a time may want a name.

    Where they cannot be kept, each process has every lock: they order work and guard no data.
    """

    async def try_lock(self, name: str) -> bool:
        """Whether this process has the lock now; else it may have become the next in line."""
        ...

    async def unlock(self, name: str) -> None:
        """Give the lock, or the place in line, to others."""
        ...

    async def aclose(self) -> None:
        """Give up all locks."""
        ...


def open_process_locks(engine: Engine, home: Path) -> ProcessLocks:
    """The locks of all that share the database: a SQLite file is shared by one machine's processes."""
    if engine.dialect.name == "sqlite":
        return FileLocks(home / "process-locks")
    return AdvisoryLocks(engine.url.set(drivername="postgresql").render_as_string(hide_password=False))


@contextmanager
def alone(engine: Engine, home: Path, name: str) -> Iterator[None]:
    """Within it this process is the only one of all that share the database; for threads, which wait."""
    if engine.dialect.name == "sqlite":
        with FileLock(home / f"{name}.lock"):
            yield
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        lock = {"lock": lock_place(name)}
        while not connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), lock).scalar():
            time.sleep(_PAUSE_S)
        try:
            yield
        finally:
            with suppress(SQLAlchemyError):  # a lost connection has lost the lock
                connection.execute(text("SELECT pg_advisory_unlock(:lock)"), lock)
