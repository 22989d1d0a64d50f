"""Opens the database: a SQLite file by default, PostgreSQL by URL."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from vta.errors import InvalidInput, NotReady, NotWritable
from vta.faults import Fault

SETTING = "VTA_DATABASE_URL"
BUSY_TIMEOUT_MS = 30_000
TIMEOUT_S = 10.0
"""Seconds for which PostgreSQL may say nothing."""
LONGEST_CONNECTING_S = 5
_DRIVERS = {
    "sqlite": "sqlite+pysqlite",
    "sqlite+pysqlite": "sqlite+pysqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
_CREATING = Lock()
_SAMPLE_BYTES = 1_000_000
"""More than an edit of the index writes; a rebuild writes more."""
_DELETED = " (deleted)"
_PROCESSES = Path("/proc")


def sqlite_url(file: Path) -> str:
    """The URL of a SQLite file, whatever characters its path has."""
    return URL.create("sqlite", database=str(file)).render_as_string()


def open_engine(url: str, *, timeout_s: float = TIMEOUT_S) -> Engine:
    """The engine for a database URL; nothing is read or written yet.

    Each wait for PostgreSQL ends after `timeout_s` seconds, each wait for another writer of a SQLite file
    after `BUSY_TIMEOUT_MS`.

    `InvalidInput` names the setting where the URL cannot be used. The URL itself is never repeated in an
    error as it was given, since it may hold a password.
    """
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, json_serializer=_to_json)
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
        event.listen(engine, "do_connect", partial(_make_private, Path(parsed.database or "")))
        same = _SameFile(engine)
        event.listen(engine, "do_connect", same.check)
        event.listen(engine, "begin", same.check)
        return engine
    try:
        from services.store.timed_connection import TimedConnection

        engine = create_engine(parsed, json_serializer=_to_json, pool_pre_ping=True, pool_timeout=timeout_s)
    except ModuleNotFoundError as error:
        raise _wrong(Fault("store.postgres_extra")) from error

    @event.listens_for(engine, "do_connect")
    def connect(_dialect: Any, _record: Any, arguments: Any, named: Any) -> TimedConnection:
        at_most = math.ceil(min(timeout_s, LONGEST_CONNECTING_S))
        connection = TimedConnection.connect(*arguments, **{"connect_timeout": at_most, **named})
        connection.limit_s = timeout_s
        return connection

    return engine


@contextmanager
def without_timeout(connection: Connection) -> Iterator[None]:
    """Let the statements of this connection take as long as they need, as imports and migrations do."""
    raw = connection.connection.dbapi_connection
    limit_s = getattr(raw, "limit_s", None)
    if limit_s is None:
        yield
        return
    raw.limit_s = None  # type: ignore[union-attr]
    try:
        yield
    finally:
        raw.limit_s = limit_s  # type: ignore[union-attr]


def refresh_statistics(engine: Engine) -> None:
    """Let a SQLite file look at samples of its tables, so that it finds the quick way to join them.

    PostgreSQL does so by itself. A file that another process holds is left as it is.
    """
    if engine.dialect.name != "sqlite":
        return
    with suppress(OperationalError), engine.connect().execution_options(begins="") as connection:
        for pragma in ("PRAGMA analysis_limit = 400", "ANALYZE"):
            connection.exec_driver_sql(pragma)


def place(engine: Engine) -> str:
    """The database in a message: the SQLite file, or the URL without its password."""
    if engine.dialect.name == "sqlite":
        return str(engine.url.database)
    return engine.url.render_as_string(hide_password=True)


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise _wrong(Fault("store.no_url")) from error
    driver = _DRIVERS.get(parsed.drivername)
    if driver is None:
        raise _wrong(Fault("store.driver", driver=parsed.drivername))
    if driver.startswith("sqlite"):
        _check_file(parsed)
    return parsed.set(drivername=driver)


def _check_file(url: URL) -> None:
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise _wrong(Fault("store.no_file"))
    file = Path(url.database)
    if file.is_dir():
        raise _wrong(Fault("store.is_folder", file=str(file)), path=str(file))
    if not file.absolute().parent.is_dir():
        raise _wrong(Fault("store.no_folder", file=str(file)), path=str(file))


def _wrong(reason: Fault, path: str | None = None) -> InvalidInput:
    return InvalidInput(Fault("store.url", setting=SETTING, reason=reason), field=SETTING, path=path)


def _to_json(value: object) -> str:
    """JSON without NaN, which PostgreSQL refuses, and with readable Chinese."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _set_pragmas(connection: sqlite3.Connection, _record: Any) -> None:
    """FULL keeps an acknowledged turn through a power cut; foreign keys are off unless asked for."""
    connection.isolation_level = None  # transactions are begun by `_begin`, never by the driver
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _make_private(file: Path, *_: object) -> None:
    """Let the owner alone read the file, which holds secrets, before SQLite makes it or anything beside it.

    SQLite gives the files beside it the same rights. A file of another owner is left as it is. A file that is
    there is never opened: closing it would drop the locks of this process's other connections
    (sqlite.org/howtocorrupt.html, 2.2). `_CREATING` holds them back while it is made.
    """
    with suppress(PermissionError):
        with _CREATING, suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        for each in (file, *(file.with_name(file.name + end) for end in ("-wal", "-shm"))):
            with suppress(FileNotFoundError):
                if each.stat().st_mode & 0o077:
                    each.chmod(0o600)


class _SameFile:
    """Sees to it that all connections of an engine are to one file, in whose place nobody has put another.

    What is written into one that is no more at its place is lost at the next start.
    """

    def __init__(self, engine: Engine) -> None:
        self._path = place(engine)
        self._first: tuple[int, int] | None = None

    def check(self, *_: object) -> None:
        """`NotWritable` where the path does not name the file that was opened first."""
        with suppress(FileNotFoundError):
            found = os.stat(self._path)
            self._first = self._first or (found.st_dev, found.st_ino)
            if self._first == (found.st_dev, found.st_ino):
                return
        raise NotWritable(Fault("store.replaced", database=self._path, process=os.getpid()))


def unwritable(folder: Path) -> str | None:
    """Why nothing can be written into a folder, if so."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * _SAMPLE_BYTES)
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None


def _begin(connection: Connection) -> None:
    statement = connection.get_execution_options().get("begins", "BEGIN")
    if statement:
        connection.exec_driver_sql(statement)


def check_log(engine: Engine) -> None:
    """`NotReady` where this process writes into a deleted log."""
    if engine.dialect.name == "sqlite" and deleted_files(Path(engine.url.database or ""), process="self"):
        raise NotReady(Fault("store.log_deleted", process=os.getpid()))


def deleted_files(database: Path, *, process: str = "[0-9]*") -> tuple[int, ...]:
    """The processes that have the database, its log or the log's index open although it was deleted.

    `process` is a pattern of names in /proc: all processes whose files this user may see when left out.
    Where the system has no /proc, as on macOS, nothing is found.
    """
    names = {f"{database.resolve()}{end}{_DELETED}" for end in ("", "-wal", "-shm")}
    return tuple(
        int(folder.resolve().name) for folder in _PROCESSES.glob(process) if names & _open_files(folder)
    )


def _open_files(process: Path) -> set[str]:
    found = set()
    with suppress(OSError):  # of another user, or ended meanwhile
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):
                found.add(os.readlink(descriptor))
    return found
