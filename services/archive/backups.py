"""A backup of all that the relational store holds, or of one course: a member of JSON lines for each table.

It is written while the platform runs, with every table at one moment, and goes into a store of
either kind, all or nothing: a platform into an empty one, a course beside others. A course file is the
backup of a course in a store where it is alone, without people; see `courses.py`.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sqlalchemy import (
    JSON,
    Connection,
    DateTime,
    Engine,
    LargeBinary,
    MetaData,
    Row,
    Select,
    Table,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError
from sqlalchemy.types import TypeEngine

from services.archive.zipped import FORMAT, NEWEST, Backup, Manifest, new_file, write_lines, write_manifest
from services.documents.store import check_pair_ids
from services.store import tables
from services.store.course_rows import find_course, raise_revision, unknown_course
from services.store.engine import open_engine, sqlite_url, without_timeout
from services.store.process_locks import ProcessFolders
from services.store.schema import VERSION_TABLE, is_before_the_first, knows_schema, migrate, schema_version
from services.store.transactions import reading, use_write_ahead_log, writing
from vta import __version__
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId

_LAST = "last-backup"
_ROWS_AT_ONCE = 200
_MADE_BY_THE_STORE = frozenset({VERSION_TABLE, "store_state", "store_secrets", "audit_log"})
"""Tables in which an empty store has rows, too."""


def save_backup(
    engine: Engine, path: Path, *, clock: Clock | None = None, course: CourseId | None = None
) -> Manifest:
    """Write the store, or one course of it, into a new file that its owner alone can read.

    The file is there whole or not at all. `Conflict` where there is one of that name, `NotFound` for an
    unknown course.
    """
    with new_file(path) as file, reading(engine) as connection, without_timeout(connection):
        os.fchmod(file.fileno(), 0o600)
        if course is not None and find_course(connection, course) is None:
            raise unknown_course(course)
        with ZipFile(file, "w") as archive:
            members = {
                f"{table.name}.jsonl": write_lines(
                    archive,
                    f"{table.name}.jsonl",
                    map(_line, _rows(connection, query.order_by(*table.primary_key))),
                    table.columns.keys(),
                )
                for table, query in rows_of(course).items()
            }
            manifest = Manifest(
                format=FORMAT,
                version=NEWEST,
                software=__version__,
                schema_version=str(schema_version(connection)),
                taken_at=clock.now() if clock else None,
                course=course,
                members=members,
            )
            write_manifest(archive, manifest)
    return manifest


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Row[Any]]:
    with connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        yield from rows


def _line(row: Sequence[Any]) -> str:
    values = [_to_json(value) for value in row]
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def restore_platform(engine: Engine, backup: Backup) -> None:
    """Fill an empty store with a backup of the whole platform, whichever kind of database either is.

    The tables are made as they were when the backup was taken and then brought to the newest schema.
    `Conflict` where the store holds anything, `InvalidInput` for a backup of one course or of newer software.
    """
    if backup.manifest.course is not None:
        raise InvalidInput(Fault("backup.of_course", course=backup.manifest.course))
    _restore(engine, backup)


def _restore(engine: Engine, backup: Backup) -> None:
    manifest, version = backup.manifest, backup.manifest.schema_version
    if not knows_schema(version):
        if is_before_the_first(version):
            raise InvalidInput(Fault("backup.older", software=manifest.software, version=version))
        raise InvalidInput(Fault("backup.newer", software=manifest.software, version=version))
    use_write_ahead_log(engine)
    with writing(engine, patient=True) as connection:
        _clear(connection)
        migrate(connection, version)
        found = _reflect(connection)
        for name in manifest.tables:
            if name not in found:
                raise _fault(backup, name, Fault("backup.no_table"))
        for table in found.values():
            if table.name in manifest.tables:
                _refill(connection, table, backup)
        _count_on(connection, found)
        migrate(connection)
        raise_revision(connection, None)


def _refill(connection: Connection, table: Table, backup: Backup) -> None:
    connection.execute(table.delete())
    try:
        _fill(connection, table, _values(backup, table))
    except StatementError as error:
        if isinstance(error, DBAPIError) and not isinstance(error, IntegrityError):
            raise
        raise _fault(backup, table.name, Fault("archive.damaged", reason=str(error.orig))) from error


@contextmanager
def temporary_store(home: Path) -> Iterator[Engine]:
    """A store without tables in a data folder, removed in the end, or else by the next start of a server."""
    folders = ProcessFolders(home / "ingests")
    engine = open_engine(sqlite_url(folders.own() / "course.db"))
    try:
        yield engine
    finally:
        engine.dispose()
        folders.close()


def restore_alone(own: Engine, backup: Backup) -> CourseId:
    """Put the course of a backup into an empty store, brought to the newest schema.

    `InvalidInput` for a backup of a platform or of newer software.
    """
    if backup.manifest.course is None:
        raise InvalidInput(Fault("backup.of_platform"))
    course_id = CourseId(backup.manifest.course)
    _restore(own, backup)
    with reading(own) as connection:
        if find_course(connection, course_id) is None:
            raise _fault(backup, tables.courses.name, Fault("backup.no_course", course=course_id))
    return course_id


def restore_course(engine: Engine, backup: Backup, home: Path) -> CourseId:
    """Add the course of a backup to a store that has the newest schema, with all that was its own.

    It is first brought to that schema in a `temporary_store` of `home`.
    `Conflict` where the course, or a pair of it, is there already; `InvalidInput` as `restore_alone`.
    """
    with temporary_store(home) as own:
        course_id = restore_alone(own, backup)
        with reading(own) as source, writing(engine, patient=True) as connection:
            if find_course(connection, course_id) is not None:
                raise Conflict(Fault("course.exists", course=course_id))
            found = _reflect(connection)
            for table, query in rows_of(course_id).items():
                rows = (row._asdict() for row in _rows(source, query))
                if table is tables.webhook_deliveries:  # numbers count on within a store
                    rows = ({name: row[name] for name in row if name != "number"} for row in rows)
                _fill(connection, found[table.name], rows)
            check_pair_ids(connection, course_id)
            course = update(tables.courses).filter_by(id=course_id)
            connection.execute(course.values(revision=raise_revision(connection, course_id)))
    return course_id


def _fault(backup: Backup, table: str, reason: Fault, line: int | None = None) -> InvalidInput:
    """The error that a table is wrong, in a line of it where one is named."""
    return backup.fault(f"{table}.jsonl", reason, line)


def _clear(connection: Connection) -> None:
    """Drop the tables of an empty store; `Conflict` where one has rows that somebody made."""
    found = _reflect(connection)
    if found and schema_version(connection) is None:
        raise Conflict(Fault("backup.not_empty", table=next(iter(found))))
    for table in found.values():
        if table.name in _MADE_BY_THE_STORE:
            continue
        if connection.execute(select(literal(1)).select_from(table).limit(1)).first() is not None:
            raise Conflict(Fault("backup.not_empty", table=table.name))
    for table in reversed(found.values()):
        table.drop(connection)


def _reflect(connection: Connection) -> dict[str, Table]:
    """The tables as they are in the database, parents before children."""
    metadata = MetaData()
    metadata.reflect(connection)
    for table in metadata.tables.values():
        for column in table.columns:
            if isinstance(column.type, JSON) and column.nullable:
                column.type = JSON(none_as_null=True)
    return {table.name: table for table in metadata.sorted_tables}


def _values(backup: Backup, table: Table) -> Iterator[dict[str, Any]]:
    """The rows of a table as its columns take them."""
    columns = backup.manifest.tables[table.name].columns
    try:
        kinds = [table.columns[name].type for name in columns]
    except KeyError as error:
        raise _fault(backup, table.name, Fault("backup.no_column", column=str(error.args[0]))) from error
    for number, values in backup.rows(table.name):
        try:
            read = [_from_json(kind, value) for kind, value in zip(kinds, values, strict=True)]
        except (TypeError, ValueError) as error:
            raise _fault(backup, table.name, Fault("archive.damaged", reason=str(error)), number) from error
        yield dict(zip(columns, read, strict=True))


def _fill(connection: Connection, table: Table, rows: Iterator[Mapping[str, Any]]) -> None:
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        connection.execute(insert(table), some)


def _count_on(connection: Connection, found: Mapping[str, Table]) -> None:
    """Set the sequences of PostgreSQL behind the greatest stored number."""
    if connection.dialect.name != "postgresql":
        return
    for table in found.values():
        for column in table.primary_key:
            name = connection.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
            if name is not None:
                last = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
                connection.execute(select(func.setval(name, last, False)))


def rows_of(course_id: CourseId | None) -> Mapping[Table, Select[tuple[object, ...]]]:
    """For each table that is backed up, what selects its rows; parents come before children.

    Of one course, these are its own row and the tables all of whose foreign keys lead to it; what also hangs
    on an LTI platform or a person stays behind.
    """
    if course_id is None:
        return {table: select(table) for table in tables.metadata.sorted_tables}
    return {table: _owned(table, course_id) for table in owned_tables()}


@cache
def owned_tables() -> tuple[Table, ...]:
    """The tables of which a course owns rows, its own among them."""
    owned: list[Table] = []
    for table in tables.metadata.sorted_tables:
        parents = {key.column.table for key in table.foreign_keys}
        if table is tables.courses or (parents and parents.issubset(owned)):
            owned.append(table)
    return tuple(owned)


def _owned(table: Table, course_id: CourseId) -> Select[tuple[object, ...]]:
    if table is tables.courses:
        return select(table).where(tables.courses.c.id == course_id)
    key = next((k for k in table.foreign_keys if k.column.table is tables.courses), None)
    if key is not None:
        return select(table).where(key.parent == course_id)
    key = min(table.foreign_keys, key=lambda each: each.parent.name)
    parents = _owned(key.column.table, course_id).with_only_columns(key.column)
    return select(table).where(key.parent.in_(parents))


def _to_json(value: Any) -> Any:
    """A value of a row as JSON has it: moments in UTC as ISO 8601, bytes in base64."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


def _from_json(kind: TypeEngine[Any], value: Any) -> Any:
    """The inverse of `_to_json` for a column type; `ValueError` or `TypeError` for a wrong value."""
    if value is None:
        return None
    if isinstance(kind, DateTime):
        return datetime.fromisoformat(value).astimezone(UTC)
    if isinstance(kind, LargeBinary):
        return base64.b64decode(value, validate=True)
    return value


def note_backup(home: Path, at: datetime) -> None:
    """Store the time of a backup of everything; a full folder does not fail the backup."""
    with suppress(OSError):
        (home / _LAST).write_text(at.isoformat(), "utf-8")


def last_backup(home: Path) -> datetime | None:
    """The time of the last backup of everything; None for none."""
    try:
        return datetime.fromisoformat((home / _LAST).read_text("utf-8"))
    except (OSError, ValueError):
        return None
