"""Puts a backup into a store, all or nothing: a platform into an empty one, a course beside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from sqlalchemy import JSON, Connection, Engine, MetaData, Table, func, insert, literal, select

from services.backup.form import from_json
from services.backup.ownership import owned_tables
from services.backup.reading import Backup
from services.storage import tables
from services.storage.courses import find_course, raise_revision
from services.storage.documents import check_no_other_has
from services.storage.schema import VERSION_TABLE, is_before_the_first, knows_schema, migrate, schema_version
from services.storage.transactions import use_write_ahead_log, writing
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types import CourseId

_ROWS_AT_ONCE = 200
_MADE_BY_THE_STORE = frozenset({VERSION_TABLE, "store_state", "store_secrets"})
"""Tables in which an empty store has rows, too."""


def restore_platform(engine: Engine, backup: Backup) -> None:
    """Fill an empty store with a backup of the whole platform, whichever kind of database either is.

    The tables are made as they were when the backup was taken and then brought to the newest schema.
    `Conflict` where the store holds anything, `InvalidInput` for a backup of one course or one
    whose schema is not known.
    """
    manifest = backup.manifest
    if manifest.course is not None:
        raise InvalidInput(Fault("backup.of_course", course=manifest.course))
    version = manifest.schema_version
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
                raise backup.fault(name, Fault("backup.no_table"))
        connection.execute(found["store_state"].delete())
        connection.execute(found["store_secrets"].delete())
        for table in found.values():
            if table.name in manifest.tables:
                _fill(connection, table, _values(backup, table))
        _count_on(connection, found)
        migrate(connection)
        raise_revision(connection)


def restore_course(engine: Engine, backup: Backup) -> CourseId:
    """Add the course of a backup to a store that has the newest schema, with all that was its own.

    `Conflict` where the course, or a pair of it, is there already; `InvalidInput` for a backup of a platform
    or of another schema.
    """
    manifest = backup.manifest
    if manifest.course is None:
        raise InvalidInput(Fault("backup.of_platform"))
    course_id = CourseId(manifest.course)
    with writing(engine, patient=True) as connection:
        if schema_version(connection) != manifest.schema_version:
            raise InvalidInput(Fault("backup.other_schema", software=manifest.software))
        if find_course(connection, course_id) is not None:
            raise Conflict(Fault("course.exists", course=course_id))
        found = _reflect(connection)
        for table in (found[each.name] for each in owned_tables()):
            rows = _values(backup, table)
            if table.name == tables.webhook_deliveries.name:  # numbers count on within a store
                rows = ({name: value for name, value in row.items() if name != "number"} for row in rows)
            _fill(connection, table, rows)
        _check_pairs(connection, course_id)
        raise_revision(connection)
    return course_id


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
    member = backup.manifest.tables.get(table.name)
    if member is None:
        raise backup.fault(table.name, Fault("backup.no_member"))
    try:
        kinds = [table.columns[name].type for name in member.columns]
    except KeyError as error:
        raise backup.fault(table.name, Fault("backup.no_column", column=str(error.args[0]))) from error
    for number, values in backup.rows(table.name):
        try:
            read = [from_json(kind, value) for kind, value in zip(kinds, values, strict=True)]
        except (TypeError, ValueError) as error:
            raise backup.fault(table.name, Fault("backup.damaged", reason=str(error)), number) from error
        yield dict(zip(member.columns, read, strict=True))


def _fill(connection: Connection, table: Table, rows: Iterator[Mapping[str, Any]]) -> None:
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        connection.execute(insert(table), some)


def _count_on(connection: Connection, found: Mapping[str, Table]) -> None:
    """Let the numbers that PostgreSQL gives go on after the greatest that is there."""
    if connection.dialect.name != "postgresql":
        return
    for table in found.values():
        for column in table.primary_key:
            name = connection.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
            if name is not None:
                last = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
                connection.execute(select(func.setval(name, last, False)))


def _check_pairs(connection: Connection, course_id: CourseId) -> None:
    """`Conflict` where another course has a pair of the same id."""
    query = select(tables.documents.c.pairs).where(tables.documents.c.course_id == course_id)
    ids = {pair["id"] for row in connection.execute(query) for pair in row.pairs}
    check_no_other_has(connection, course_id, ids)
