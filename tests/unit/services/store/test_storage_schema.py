"""The migrations: what they make, and what they refuse."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest
from sql_stores import drawing
from sqlalchemy import event, inspect, text

from services.store.engine import open_engine, sqlite_url
from services.store.schema import migrate, upgrade_schema
from services.store.tables import metadata


def test_upgrading_twice_changes_nothing(tmp_path):
    """A database that is up to date is only read."""
    url = sqlite_url(tmp_path / "vta.db")
    engine = open_engine(url)
    upgrade_schema(engine)
    before = (tmp_path / "vta.db").read_bytes()
    upgrade_schema(engine)
    assert (tmp_path / "vta.db").read_bytes() == before
    engine.dispose()


def test_a_migration_that_breaks_off_leaves_nothing_behind(tmp_path):
    """The schema is made in one transaction: broken off at its last table, it is as if never begun."""
    engine = open_engine(sqlite_url(tmp_path / "vta.db"))

    def break_off(connection, cursor, statement, parameters, context, executemany):
        if "CREATE TABLE waiting_questions" in statement:
            raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", break_off)
    with pytest.raises(KeyboardInterrupt):
        upgrade_schema(engine)
    assert inspect(engine).get_table_names() == []
    event.remove(engine, "before_cursor_execute", break_off)
    upgrade_schema(engine)
    assert len(drawing(engine)) == len(metadata.tables)
    engine.dispose()


def test_a_course_keeps_its_thresholds_and_takes_the_platforms_relevance(tmp_path):
    """Courses from before a course could say how sure an answer has to be."""
    engine = open_engine(sqlite_url(tmp_path / "vta.db"))
    with engine.begin() as connection:
        migrate(connection, "0030")
        connection.execute(
            text(
                "INSERT INTO courses (id, name, domains, language, alpha, beta) "
                "VALUES ('ds', 'D', '[]', 'en', 0.25, 1.5)"
            )
        )
        migrate(connection)
        row = connection.execute(text("SELECT alpha, beta, relevance FROM courses")).one()
    assert tuple(row) == (0.25, 1.5, None)
    engine.dispose()


def test_links_of_which_no_maker_is_known_are_withdrawn(tmp_path):
    """Those that were made before the store knew; people and courses stay."""
    engine = open_engine(sqlite_url(tmp_path / "vta.db"))
    week, moment = "2999-01-01 00:00:00", "2025-03-01 08:00:00"
    with engine.begin() as connection:
        migrate(connection, "0029")
        for statement in (
            "INSERT INTO courses (id, name, domains, language) VALUES ('ds', 'D', '[]', 'en')",
            "INSERT INTO people (id, email, name, role, created_at) "
            f"VALUES ('p', 'e@x', 'E', 'member', '{moment}')",
            f"INSERT INTO invitations VALUES ('d', 'ds', 'ta', '', '', 'Kim', '{week}')",
            f"INSERT INTO password_links VALUES ('d', 'p', '{week}')",
        ):
            connection.execute(text(statement))
        migrate(connection)
        counts = {
            name: connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            for name in ("courses", "people", "invitations", "password_links")
        }
    assert counts == {"courses": 1, "people": 1, "invitations": 0, "password_links": 0}
    engine.dispose()


def test_a_new_store_and_one_of_the_first_schema_are_alike(tmp_path):
    """What the folder of an earlier commit has once it is brought up is what a new one has."""
    new, old = sqlite_url(tmp_path / "new.db"), sqlite_url(tmp_path / "old.db")
    packed = Path(__file__).parents[3] / "data" / "homes" / "0029.db.xz"
    (tmp_path / "old.db").write_bytes(lzma.decompress(packed.read_bytes()))
    drawings = []
    for url in (new, old):
        engine = open_engine(url)
        upgrade_schema(engine)
        drawings.append(drawing(engine))
        engine.dispose()
    assert drawings[0] == drawings[1]
