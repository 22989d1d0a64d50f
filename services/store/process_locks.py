"""Locks by name between the processes of one platform, which end with the process that holds them.

On one data folder they are record locks of one file, on PostgreSQL advisory locks of one connection a process
(not one a lock): so nothing has to expire, and no pool is used up. A name has two places, the lock and the
next in line, so that of two processes that keep asking neither comes in before the other twice.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from filelock import FileLock
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

LOCKED, NEXT = "locked", "next"
"""What a process holds of a name."""

_log = logging.getLogger(__name__)
T = TypeVar("T")
ANSWER_S = 2.0
"""Seconds that PostgreSQL may take to answer."""
LEFT_ALONE_S = 5.0
"""Seconds for which it is not asked after it failed."""
_UNKNOWN = object()
_PAUSE_S = 0.05
_LOCK = ".lock"


def lock_place(name: str) -> int:
    """An even number of 62 bits, by which both kinds know the lock; the next one is the next in line."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) >> 2 & ~1


class FileLocks:
    """Locks of single bytes of a file, at offsets by name; the file stays empty. Nothing waits."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._held: dict[str, str] = {}

    async def try_lock(self, name: str) -> bool:
        """See `ProcessLocks`."""
        place = lock_place(name)
        try:
            if self._held.get(name) is None and self._take(place + 1):
                self._held[name] = NEXT
            if self._held.get(name) == NEXT and self._take(place):
                self._held[name] = LOCKED
                self._drop(place + 1)
        except OSError as failure:
            _log.warning("no locks between processes: %s", failure.strerror)
            return True
        return self._held.get(name) == LOCKED

    async def unlock(self, name: str) -> None:
        """See `ProcessLocks`."""
        held = self._held.pop(name, None)
        if held is not None:
            self._drop(lock_place(name) + (held == NEXT))

    async def aclose(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._held = None, {}

    def _take(self, place: int) -> bool:
        if self._descriptor is None:  # one for good: closing any would drop all locks of the process
            self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _drop(self, place: int) -> None:
        if self._descriptor is not None:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)


if TYPE_CHECKING:
    from psycopg import AsyncConnection


class AdvisoryLocks:
    """Advisory locks of PostgreSQL, all of one connection, which is opened when it is first needed.

    A statement that was begun is brought to its end, also for a caller who left meanwhile, so that what is
    held is always known.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._failed_at: float | None = None
        self._one_at_a_time = asyncio.Lock()
        self._connection: AsyncConnection[Any] | None = None
        self._held: dict[str, str] = {}
        self._under_way: set[asyncio.Task[Any]] = set()

    async def try_lock(self, name: str) -> bool:
        """See `ProcessLocks`."""
        return await self._to_its_end(self._try_lock(name))

    async def unlock(self, name: str) -> None:
        """See `ProcessLocks`."""
        await self._to_its_end(self._unlock(name))

    async def aclose(self) -> None:
        async with self._one_at_a_time:
            await self._disconnect()

    async def _try_lock(self, name: str) -> bool:
        lock, after = lock_place(name), lock_place(name) + 1
        async with self._one_at_a_time:
            if self._held.get(name) == LOCKED:
                return True
            if self._held.get(name) == NEXT:
                found = await self._ask(
                    "SELECT CASE WHEN pg_try_advisory_lock(%s) THEN pg_advisory_unlock(%s) ELSE false END",
                    (lock, after),
                )
            else:
                found = await self._ask(
                    "SELECT CASE WHEN pg_try_advisory_lock(%s) THEN CASE WHEN pg_try_advisory_lock(%s) "
                    "THEN pg_advisory_unlock(%s) ELSE false END END",
                    (after, lock, after),
                )
            if found is _UNKNOWN:
                return True
            if found is not None:
                self._held[name] = LOCKED if found else NEXT
            return found is True

    async def _unlock(self, name: str) -> None:
        async with self._one_at_a_time:
            held = self._held.pop(name, None)
            if held is not None:
                await self._ask("SELECT pg_advisory_unlock(%s)", (lock_place(name) + (held == NEXT),))

    async def _ask(self, statement: str, places: tuple[int, ...]) -> object:
        """The one value that the server answers; `_UNKNOWN` where it does not, and then no lock is held."""
        if self._failed_at is not None and time.monotonic() - self._failed_at < LEFT_ALONE_S:
            return _UNKNOWN
        try:
            async with asyncio.timeout(ANSWER_S):
                cursor = await (await self._connected()).execute(statement, places)
                row = await cursor.fetchone()
        except Exception as failure:  # psycopg's, OSError, TimeoutError
            _log.warning("no locks between processes: %s", type(failure).__name__)
            self._failed_at = time.monotonic()
            await self._disconnect()
            return _UNKNOWN
        self._failed_at = None
        return row[0] if row else None

    async def _connected(self) -> AsyncConnection[Any]:
        if self._connection is None:
            from psycopg import AsyncConnection

            self._connection = await AsyncConnection.connect(self._url, autocommit=True)
        return self._connection

    async def _disconnect(self) -> None:
        """Every lock of this process is gone with the connection."""
        connection, self._connection, self._held = self._connection, None, {}
        if connection is not None:
            await connection.close()

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)


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


class ProcessFolders:
    """The folder of this process, beside those of others.

    Each process holds a lock on a file beside its own folder as long as it lives, so that another one can
    tell what a killed process left behind.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._guard = Lock()
        self._own: Path | None = None
        self._held: int | None = None

    def own(self) -> Path:
        """The folder of this process, which is made when it is first needed."""
        with self._guard:
            while self._own is None:
                self.root.mkdir(parents=True, exist_ok=True)
                own = self.root / os.urandom(8).hex()
                self._held = _locked(own.with_suffix(_LOCK))
                if self._held is not None:
                    own.mkdir()
                    self._own = own
            return self._own

    def sweep(self) -> None:
        """Remove what processes that are gone have left behind."""
        for folder in self.root.glob("*/") if self.root.is_dir() else ():
            held = _locked(folder.with_suffix(_LOCK))
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                folder.with_suffix(_LOCK).unlink(missing_ok=True)
                os.close(held)

    def close(self) -> None:
        """Remove the folder of this process."""
        with self._guard:
            own, held, self._own, self._held = self._own, self._held, None, None
        if own is not None and held is not None:
            shutil.rmtree(own, ignore_errors=True)
            own.with_suffix(_LOCK).unlink(missing_ok=True)
            os.close(held)


def _locked(file: Path) -> int | None:
    """A descriptor that holds the lock of a file; None where another process has it, or swept it just now."""
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(file).st_ino == os.fstat(held).st_ino:
            return held
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(held)
    return None
