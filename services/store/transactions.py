"""Reading and writing in transactions, with declared errors for database failures."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Delete, Engine, Insert, Pool, Row, Select, Table, Update, insert, update
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from services.store.engine import BUSY_TIMEOUT_MS, SETTING, place, without_timeout
from vta.breaker import CircuitBreaker
from vta.errors import Conflict, InvalidInput, NotWritable, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.ports import Clock

T = TypeVar("T")
ATTEMPTS = 10
OUTAGES = 2
"""Failures in a row after which the server is left alone."""
LEFT_ALONE_S = 3.0
_RETRIED_SQLSTATES = ("40001", "40P01")  # serialisation failure, deadlock
_FULL, _DISK_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE"), "53100"
_NEVER_CONNECTED = ("OperationalError", "ConnectionTimeout")
_breakers: WeakKeyDictionary[Pool, CircuitBreaker] = WeakKeyDictionary()
_writers: WeakKeyDictionary[Pool, Lock] = WeakKeyDictionary()
_users_lock = Lock()


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection whose reads all see one state of the database."""
    with _explaining(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def reading_once(engine: Engine) -> Iterator[Connection]:
    """A connection for one statement, which needs no transaction to see one state of the database."""
    alone = {"begins": ""} if engine.dialect.name == "sqlite" else {"isolation_level": "AUTOCOMMIT"}
    with _explaining(engine), engine.connect() as connection:
        yield connection.execution_options(**alone)


@contextmanager
def writing(engine: Engine, *, patient: bool = False) -> Iterator[Connection]:
    """A connection whose writes are all committed, or none of them. A `patient` one has no time-out."""
    with _explaining(engine), _transaction(engine, patient=patient) as connection:
        yield connection


def write(engine: Engine, action: Callable[[Connection], T], *, patient: bool = False) -> T:
    """Run `action` in a transaction; again from the start where another writer was quicker.

    `action` checks what it rests on itself, so that its second run sees what the other writer did. `patient`
    work has no time-out, for what may take long and no student waits for.
    """
    with _explaining(engine):
        for _ in range(ATTEMPTS - 1):
            try:
                with _transaction(engine, patient=patient) as connection:
                    return action(connection)
            except DBAPIError as error:
                if not _was_overtaken(error):
                    raise
        with _transaction(engine, patient=patient) as connection:
            return action(connection)


def put_row(
    connection: Connection, table: Table, key: Mapping[str, object], values: Mapping[str, object]
) -> None:
    """Change the row of a key, or insert it where there is none yet."""
    if not connection.execute(update(table).filter_by(**key).values(dict(values))).rowcount:
        connection.execute(insert(table).values({**key, **values}))


class SqlStore:
    """The base of every store: the engine, and reads and writes of one statement."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _rows(self, query: Select[Any], **values: object) -> Sequence[Row[Any]]:
        """All rows of a query with these values in it."""
        with reading_once(self._engine) as connection:
            return connection.execute(query, values).all()

    def _row(self, query: Select[Any], **values: object) -> Row[Any] | None:
        """The one row of a query with these values in it, if there is one."""
        with reading_once(self._engine) as connection:
            return connection.execute(query, values).one_or_none()

    def _scalar(self, query: Select[Any]) -> Any:
        """The first column of the one row of a query; None where there is none."""
        with reading_once(self._engine) as connection:
            return connection.execute(query).scalar_one_or_none()

    def _execute(self, statement: Delete | Insert | Update) -> int:
        """Write by one statement; returns how many rows it touched."""
        return write(self._engine, lambda connection: connection.execute(statement).rowcount)


S = TypeVar("S", bound=SqlStore)
P = ParamSpec("P")


def written(
    method: Callable[Concatenate[S, Connection, P], T], *, patient: bool = False
) -> Callable[Concatenate[S, P], T]:
    """The method of a store with a transaction of its own around it; see `write`."""

    @wraps(method)
    def in_transaction(store: S, /, *given: P.args, **named: P.kwargs) -> T:
        engine = store._engine
        return write(engine, lambda connection: method(store, connection, *given, **named), patient=patient)

    return in_transaction


def written_patiently(method: Callable[Concatenate[S, Connection, P], T]) -> Callable[Concatenate[S, P], T]:
    """As `written`, for what may take long."""
    return written(method, patient=True)


class ClockedStore(SqlStore):
    """A store that notes when something was written."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        super().__init__(engine)
        self._clock = clock


def use_write_ahead_log(engine: Engine) -> None:
    """Let readers of a SQLite file read while another writes; the file stores this mode."""
    if engine.dialect.name == "sqlite":
        with _explaining(engine), engine.connect().execution_options(begins="") as connection:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


@contextmanager
def _transaction(engine: Engine, *, patient: bool = False) -> Iterator[Connection]:
    """On SQLite a writer takes its place in the queue at once, so it never fails half way for another."""
    with (
        _one_writer(engine),
        engine.connect().execution_options(begins="BEGIN IMMEDIATE") as connection,
        without_timeout(connection) if patient else nullcontext(),
        connection.begin(),
    ):
        yield connection


@contextmanager
def _one_writer(engine: Engine) -> Iterator[None]:
    """Let the writers of this process to a SQLite file follow one another at once.

    For the writers of other processes SQLite looks again and again, in pauses of up to 0.1 s. Who has waited
    for long goes on to that, which says that the file is locked.
    """
    if engine.dialect.name != "sqlite":
        yield
        return
    with _users_lock:
        turn = _writers.setdefault(engine.pool, Lock())
    held = turn.acquire(timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        yield
    finally:
        if held:
            turn.release()


def _was_overtaken(error: DBAPIError) -> bool:
    sqlstate = getattr(error.orig, "sqlstate", None)
    return isinstance(error, IntegrityError) or sqlstate in _RETRIED_SQLSTATES


@contextmanager
def _explaining(engine: Engine) -> Iterator[None]:
    """Raise declared errors. A server that failed twice in a row is not asked for `LEFT_ALONE_S`."""
    breaker = _breaker_of(engine)
    if not breaker.admits():
        raise UpstreamFailed(Fault("store.resting", database=place(engine)))
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInput(Fault("store.surrogate")) from error
    except SQLAlchemyError as error:
        if _is_outage(error):
            breaker.failed()
        elif isinstance(error, DBAPIError):  # the server refused it, so it did answer
            breaker.succeeded()
        raise _explained(engine, error) from error
    except VtaError:  # of what was asked for, so the server did answer
        breaker.succeeded()
        raise
    else:
        breaker.succeeded()


def _breaker_of(engine: Engine) -> CircuitBreaker:
    """One of all users of an engine, also under options of their own."""
    with _users_lock:
        return _breakers.setdefault(engine.pool, CircuitBreaker(failures=OUTAGES, cool_down_s=LEFT_ALONE_S))


def _is_outage(error: SQLAlchemyError) -> bool:
    """True where a server could not be reached or broke off; a SQLite file is no server."""
    if not isinstance(error, DBAPIError) or isinstance(error.orig, sqlite3.Error):
        return False
    never_connected = error.statement is None and type(error.orig).__name__ in _NEVER_CONNECTED
    return error.connection_invalidated or never_connected


def _explained(engine: Engine, error: SQLAlchemyError) -> VtaError:
    where = place(engine)
    path = where if engine.dialect.name == "sqlite" else None
    cause = error.orig if isinstance(error, StatementError) else None
    name = getattr(cause, "sqlite_errorname", "")
    if name.startswith("SQLITE_NOTADB"):
        return InvalidInput(
            Fault("store.not_sqlite", setting=SETTING, database=where), field=SETTING, path=path
        )
    if name.startswith("SQLITE_CORRUPT"):
        return UpstreamFailed(Fault("store.damaged", database=where), path=path)
    if name.startswith("SQLITE_BUSY"):
        return UpstreamFailed(Fault("store.locked", database=where), path=path)
    if name in _FULL or getattr(cause, "sqlstate", None) == _DISK_FULL:
        return NotWritable(Fault("store.full", database=where), path=path)
    if isinstance(error, IntegrityError):
        return Conflict(Fault("store.changed"))
    is_refused = type(cause).__name__ == "DataError" and not isinstance(cause, sqlite3.OperationalError)
    if is_refused or isinstance(cause, ValueError):
        return InvalidInput(Fault("store.value", reason=_first_line(cause)))
    return UpstreamFailed(
        Fault("store.failed", database=where, reason=_first_line(cause or error)), path=path
    )


def _first_line(error: BaseException | None) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
