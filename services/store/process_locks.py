"""Locks by name between the processes of one platform; a lock ends with its process, so none expires.

On one data folder they are record locks of one file, on PostgreSQL advisory locks of one connection for each
process, so that they use up no pool.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

if TYPE_CHECKING:
    from services.store.timed_connection import TimedConnection

_log = logging.getLogger(__name__)
T = TypeVar("T")
ANSWER_S = 2.0
"""Seconds that PostgreSQL may take to answer."""
LEFT_ALONE_S = 5.0
"""Seconds without a request after PostgreSQL failed."""
_PAUSE_S = 0.05


def lock_place(name: str) -> int:
    """The number of 62 bits by which both kinds know a lock."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) >> 2


class FileLocks:
    """Locks of single bytes of a file, at offsets by name; the file stays empty. Nothing waits."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._held: set[str] = set()

    async def try_lock(self, name: str) -> bool:
        """Try to take the lock; True where this process has it now."""
        if name in self._held:
            return True
        try:
            if self._descriptor is None:  # one for good: closing any would drop all locks of the process
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, lock_place(name))
        except (BlockingIOError, PermissionError):
            return False
        except OSError as failure:
            _log.warning("no locks between processes: %s", failure.strerror)
            return True
        self._held.add(name)
        return True

    async def unlock(self, name: str) -> None:
        if name in self._held and self._descriptor is not None:
            self._held.remove(name)
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, lock_place(name))

    async def aclose(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._held = None, set()


class AdvisoryLocks:
    """Advisory locks of PostgreSQL, all of one connection, which is opened for the first lock.

    Statements run in a thread of their own, one at a time and to their end although a caller is cancelled, so
    that the held locks are always known.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._failed_at = -LEFT_ALONE_S
        self._connection: TimedConnection | None = None
        self._held: set[str] = set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="advisory-locks")

    async def try_lock(self, name: str) -> bool:
        """Try to take the lock; True where this process has it now."""
        return await self._in_turn(self._try_lock, name)

    async def unlock(self, name: str) -> None:
        if name in self._held:
            await self._in_turn(self._unlock, name)

    async def aclose(self) -> None:
        await self._in_turn(self._disconnect)
        self._thread.shutdown()

    def _in_turn(self, work: Callable[..., T], *arguments: str) -> asyncio.Future[T]:
        return asyncio.shield(asyncio.wrap_future(self._thread.submit(work, *arguments)))

    def _try_lock(self, name: str) -> bool:
        if name in self._held:
            return True
        locked = self._ask("SELECT pg_try_advisory_lock(%s)", name)
        if locked:
            self._held.add(name)
        return locked is not False

    def _unlock(self, name: str) -> None:
        if name in self._held:
            self._held.remove(name)
            self._ask("SELECT pg_advisory_unlock(%s)", name)

    def _ask(self, statement: str, name: str) -> bool | None:
        """The reply of the server about a lock; None without a reply, and then no lock is held."""
        if time.monotonic() - self._failed_at < LEFT_ALONE_S:
            return None
        try:
            row = self._connected().execute(statement, (lock_place(name),)).fetchone()
        except Exception as failure:  # psycopg's, OSError
            _log.warning("no locks between processes: %s", type(failure).__name__)
            self._failed_at = time.monotonic()
            self._disconnect()
            return None
        return bool(row and row[0])

    def _connected(self) -> TimedConnection:
        if self._connection is None:
            from services.store.timed_connection import TimedConnection

            self._connection = TimedConnection.connect(self._url, autocommit=True, connect_timeout=2)
            self._connection.limit_s = ANSWER_S
        return self._connection

    def _disconnect(self) -> None:
        """Every lock of this process ends with the connection."""
        connection, self._connection, self._held = self._connection, None, set()
        if connection is not None:
            connection.close()


ProcessLocks = FileLocks | AdvisoryLocks
"""Locks that one process at a time has; within a process one caller at a time may want a name.

Without a working file or server each process gets every lock: they order work and guard no data.
"""


def open_process_locks(engine: Engine, home: Path) -> ProcessLocks:
    """The locks of all that share the database: a SQLite file is shared by one machine's processes."""
    if engine.dialect.name == "sqlite":
        return FileLocks(home / "process-locks")
    return AdvisoryLocks(engine.url.set(drivername="postgresql").render_as_string(hide_password=False))


@contextmanager
def alone(engine: Engine, home: Path, name: str) -> Iterator[None]:
    """Admit one process at a time of all that share the database; a thread waits for its turn."""
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

    A living process holds a lock on a file beside its folder, so that others can tell the folder of a killed
    process.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._guard = Lock()
        self._own: Path | None = None
        self._held: FileLock | None = None

    def own(self) -> Path:
        """The folder of this process, made at the first call."""
        with self._guard:
            if self._own is None:
                self.root.mkdir(parents=True, exist_ok=True)
                own = self.root / os.urandom(8).hex()
                self._held = _lock_of(own)
                self._held.acquire()
                own.mkdir()
                self._own = own
            return self._own

    def sweep(self) -> None:
        """Remove the folders of dead processes."""
        for folder in self.root.glob("*/") if self.root.is_dir() else ():
            with suppress(Timeout), _lock_of(folder) as lock:
                _remove(folder, lock)

    def close(self) -> None:
        """Remove the folder of this process."""
        with self._guard:
            own, held, self._own, self._held = self._own, self._held, None, None
        if own is not None and held is not None:
            _remove(own, held)
            held.release()


def _lock_of(folder: Path) -> FileLock:
    return FileLock(folder.with_suffix(".lock"), blocking=False, thread_local=False)


def _remove(folder: Path, lock: FileLock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    Path(lock.lock_file).unlink(missing_ok=True)
