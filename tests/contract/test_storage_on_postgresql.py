"""What PostgreSQL must do beyond the contracts of the stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from services.clock import SystemClock
from services.storage.engine import open_engine
from services.storage.schema import VERSION_TABLE, upgrade
from services.storage.stores import open_stores
from services.storage.tables import metadata
from vta.errors import InvalidInput, NotReady


def test_the_migrations_make_what_the_tables_say_on_postgresql(postgres_url):
    """From empty to the newest, nothing is missing, left over or different."""
    upgrade(postgres_url)
    engine = open_engine(postgres_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_a_newer_schema_on_postgresql_is_not_touched(postgres_url):
    """A database written by a newer version is `NotReady`."""
    upgrade(postgres_url)
    engine = open_engine(postgres_url)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(NotReady, match="'9999' of a newer version"):
        open_stores(postgres_url, SystemClock())


def test_many_that_open_a_new_database_at_once_all_find_it_ready(postgres_url):
    """The migrations run once."""

    def open_and_read(_: int) -> int:
        stores = open_stores(postgres_url, SystemClock())
        revision = stores.documents.revision()
        stores.close()
        return revision

    with ThreadPoolExecutor(4) as openers:
        assert list(openers.map(open_and_read, range(4))) == [0] * 4


def test_a_zero_byte_is_refused_on_postgresql(postgres_url, samples):
    """PostgreSQL keeps no zero byte in a text: the caller hears so, and nothing is stored."""
    stores = open_stores(postgres_url, SystemClock())
    stores.courses.add(samples.course("ds"))
    with pytest.raises(InvalidInput, match="cannot be stored"):
        stores.sessions.record(samples.question(text="a\u0000b"), samples.answer("t1"))
    assert stores.privacy.erase("ds", "nobody", vouched=True) == 0
    stores.close()
