"""The schema of a new database of each kind, and what PostgreSQL does beyond the contracts of the stores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sql_stores import drawing

from services.clock import SystemClock
from services.store.engine import open_engine
from services.store.schema import VERSION_TABLE, newest_version, schema_version, upgrade_schema
from services.store.tables import metadata
from services.stores import open_stores
from vta.errors import InvalidInput, NotReady


def test_the_scripts_make_what_the_tables_say(empty_url):
    """To the last constraint, from empty to the newest."""
    engine = open_engine(empty_url)
    upgrade_schema(engine)
    upgraded = drawing(engine)
    with engine.connect() as connection:
        assert schema_version(connection) == newest_version()
    metadata.drop_all(engine)
    metadata.create_all(engine)
    assert drawing(engine) == upgraded
    assert len(upgraded) == len(metadata.tables)
    engine.dispose()


@pytest.mark.parametrize(
    ("version", "says"),
    [("9999", r"'9999' of a newer version"), ("0026", r"'0026'.*with the commit 8e3dbe2")],
)
def test_an_unknown_schema_is_not_touched(empty_url, version, says):
    """A newer one, or one from before the first, is `NotReady`, names the database and stays as it is."""
    engine = open_engine(empty_url)
    upgrade_schema(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'")
    with pytest.raises(NotReady, match=f"{engine.url.database}.*{says}"):
        open_stores(empty_url, SystemClock())
    with engine.connect() as connection:
        assert schema_version(connection) == version
    engine.dispose()


def test_many_that_open_a_new_database_at_once_all_find_it_ready(empty_url):
    """The migrations run once."""

    def open_and_read(_: int) -> int:
        stores = open_stores(empty_url, SystemClock())
        revision = stores.documents.revision()
        stores.close()
        return revision

    with ThreadPoolExecutor(5) as openers:
        assert list(openers.map(open_and_read, range(5))) == [0] * 5


def test_a_zero_byte_is_refused_on_postgresql(postgres_url, samples):
    """PostgreSQL keeps no zero byte in a text: the caller hears so, and nothing is stored."""
    stores = open_stores(postgres_url, SystemClock())
    stores.courses.add(samples.course("ds"))
    with pytest.raises(InvalidInput, match="cannot be stored"):
        stores.sessions.record(samples.question(text="a\u0000b"), samples.answer("t1"))
    assert stores.privacy.erase("ds", "nobody", vouched=True) == 0
    stores.close()
