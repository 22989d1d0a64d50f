"""Brings the schema of a database up to date, with the SQL scripts that travel in the package."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from sqlalchemy import Connection, Engine, column, insert, inspect, select, table, text, update

from services.store.engine import SETTING, place
from services.store.tables import metadata, store_secrets
from services.store.transactions import reading, use_write_ahead_log, writing
from vta.errors import InvalidInput, NotReady
from vta.faults import Fault

VERSION_TABLE = "vta_schema_version"
_LOCK = 0x767461  # any number that every process of ours knows
_IN_SQLITE = {
    ' COLLATE "C"': "",
    "TIMESTAMP WITH TIME ZONE": "DATETIME",
    "SERIAL": "INTEGER",
    "BYTEA": "BLOB",
    "DEFAULT false": "DEFAULT 0",
    "DEFAULT true": "DEFAULT 1",
}
_versions = table(VERSION_TABLE, column("version_num"))


def upgrade_schema(engine: Engine) -> None:
    """Bring the database to the newest schema in one transaction; one that has it already is only read.

    `NotReady` for the schema of a newer version of this software or of one from before the initial
    migration, `InvalidInput` for a SQLite file of another program.
    """
    with reading(engine) as connection:
        behind = _is_behind(connection, engine)
    use_write_ahead_log(engine)
    if not behind:
        return
    with writing(engine, patient=True) as connection:
        if connection.dialect.name == "postgresql":  # the writers of SQLite follow one another anyway
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        if _is_behind(connection, engine):  # no other process was quicker
            migrate(connection)


def migrate(connection: Connection, version: str | None = None) -> None:
    """Bring the schema up to a version, by default the newest, as part of the caller's transaction."""
    before = schema_version(connection)
    wanted = version or newest_version()
    for each, script in _scripts().items():
        if (before or "") < each <= wanted:
            _execute(connection, script)
    if before is None:
        connection.exec_driver_sql(
            f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
        connection.execute(insert(_versions).values(version_num=wanted))
        connection.execute(insert(store_secrets).values(name="learners", value=secrets.token_hex(32)))
    else:
        connection.execute(update(_versions).values(version_num=max(before, wanted)))


def _execute(connection: Connection, script: str) -> None:
    if connection.dialect.name == "sqlite":
        for postgresql, sqlite in _IN_SQLITE.items():
            script = script.replace(postgresql, sqlite)
    for statement in filter(str.strip, script.split(";")):
        connection.exec_driver_sql(statement)


def knows_schema(version: str) -> bool:
    """True for a schema version of which this software has the script."""
    return version in _scripts()


def is_before_the_first(version: str) -> bool:
    """True for a development version from before the initial script."""
    return version < min(_scripts())


def schema_version(connection: Connection) -> str | None:
    """The schema version of the database; None for an empty database."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(select(_versions.c.version_num))


def missing_parts(connection: Connection) -> tuple[str, ...]:
    """The tables and columns of the newest schema that the database lacks, which somebody took out."""
    found = inspect(connection)
    have = {name: {each["name"] for each in found.get_columns(name)} for name in found.get_table_names()}
    return tuple(
        table.name if table.name not in have else f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in list(table.columns)[: None if table.name in have else 1]
        if column.name not in have.get(table.name, ())
    )


def newest_version() -> str:
    """The schema version of this software."""
    return max(_scripts())


@cache
def _scripts() -> Mapping[str, str]:
    """The SQL of each schema version after the one before, oldest first."""
    found = (files("services.store") / "migrations").iterdir()
    scripts = {each.name.partition("_")[0]: each.read_text("utf-8") for each in found}
    return dict(sorted(scripts.items()))


def _is_behind(connection: Connection, engine: Engine) -> bool:
    version = schema_version(connection)
    if version == newest_version():
        return False
    if version is None and connection.dialect.name == "sqlite" and inspect(connection).get_table_names():
        raise InvalidInput(
            Fault("store.other_program", setting=SETTING, database=place(engine)),
            field=SETTING,
            path=place(engine),
        )
    if version is not None and not knows_schema(version):
        if is_before_the_first(version):
            raise NotReady(Fault("store.older_schema", database=place(engine), version=version))
        raise NotReady(Fault("store.newer_schema", database=place(engine), version=version))
    return True
