"""Brings the schema of a database up to date, with the migrations that travel in the package."""

from __future__ import annotations

from importlib.resources import as_file, files

from sqlalchemy import Connection, Engine, column, inspect, select, table, text

from services.store.engine import SETTING, place
from services.store.tables import metadata
from services.store.transactions import reading, use_write_ahead_log, writing
from vta.errors import InvalidInput, NotReady
from vta.faults import Fault

VERSION_TABLE = "vta_schema_version"
_LOCK = 0x767461  # any number that every process of ours knows


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
        _lock(connection)
        if _is_behind(connection, engine):  # no other process was quicker
            migrate(connection)


def migrate(connection: Connection, version: str = "head") -> None:
    """Bring the schema up to a version, the newest by default, as a part of the transaction of a caller."""
    from alembic import command
    from alembic.config import Config

    with as_file(files("services.store") / "migrations") as folder:
        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, version)


def knows_schema(version: str) -> bool:
    """Whether this software has the migrations to and from a schema of this version."""
    return version in _versions()


def is_before_the_first(version: str) -> bool:
    """Whether a schema is of a development version from before the initial migration."""
    return version < _versions()[0]


def schema_version(connection: Connection) -> str | None:
    """The migration that the database stands at; None where there is none yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.scalar(select(table(VERSION_TABLE, column("version_num")).c.version_num))


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
    return _versions()[-1]


def _versions() -> list[str]:
    """The migrations, by the names of their files: to load them and alembic takes most of a second."""
    folder = files("services.store") / "migrations" / "versions"
    return sorted(each.name.partition("_")[0] for each in folder.iterdir() if each.name.endswith(".py"))


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


def _lock(connection: Connection) -> None:
    """Let one process at a time change the schema; SQLite's writers follow one another by themselves."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
