"""Databases with all tables and no rows, migrated once and copied for each test."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from services.clock import SystemClock
from services.store.engine import open_engine, sqlite_url
from services.stores import open_stores


class SqliteTemplate:
    """A migrated SQLite file to copy."""

    def __init__(self, file: Path) -> None:
        self._file = file
        open_stores(sqlite_url(file), SystemClock()).close()

    def copy(self, file: Path) -> str:
        """The URL of a file of one's own."""
        shutil.copyfile(self._file, file)
        return sqlite_url(file)


@contextmanager
def new_database(server: str, template: str = "template0") -> Iterator[str]:
    """The URL of a database of one's own on a PostgreSQL server; it is gone afterwards."""
    name = f"vta_test_{uuid.uuid4().hex}"
    engine = open_engine(server).execution_options(isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
    yield make_url(server).set(database=name).render_as_string(hide_password=False)
    with engine.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name}")
    engine.dispose()


@contextmanager
def postgres_template(server: str) -> Iterator[str]:
    """The name of a migrated database on a PostgreSQL server."""
    with new_database(server) as url:
        open_stores(url, SystemClock()).close()
        name = make_url(url).database
        assert name is not None
        yield name
