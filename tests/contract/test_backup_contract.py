"""A backup of every table goes from any kind of store into any kind, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import warnings
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZipFile

import filled_store
import pytest
from sqlalchemy import JSON, Connection, Engine, MetaData, Table, delete, func, insert, select, update

from services.archive.backups import (
    owned_tables,
    restore_course,
    restore_platform,
    save_backup,
)
from services.archive.zipped import Manifest, ZipMember, open_backup
from services.clock import SystemClock
from services.store import tables
from services.store.engine import open_engine, sqlite_url
from services.store.schema import migrate, schema_version
from vta.errors import Conflict, InvalidInput
from vta.types.courses import CourseId


@pytest.fixture
def filled(databases) -> Engine:
    """A store with rows in every table."""
    filled_store.fill(databases.engine)
    return databases.engine


@pytest.fixture
def empty(empty_url):
    engine = open_engine(empty_url)
    yield engine
    engine.dispose()


def taken(engine: Engine, path: Path, **of: CourseId) -> Manifest:
    return save_backup(engine, path, clock=SystemClock(), **of)


def held(manifest: Manifest) -> dict[str, ZipMember]:
    """What a backup holds, but for the revision, which a restore raises so that an index is built anew."""
    return {name: member for name, member in manifest.tables.items() if name != "store_state"}


def rows(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {
            table.name: connection.scalar(select(func.count()).select_from(table))
            for table in tables.metadata.sorted_tables
        }


def test_every_row_comes_back_as_it_was(filled, empty, tmp_path):
    """Counts and checksums of all tables are equal, whichever kind of store either is."""
    before = taken(filled, tmp_path / "a.zip")
    assert {name for name, member in before.tables.items() if member.rows < 3} == {"store_state"}
    with open_backup(tmp_path / "a.zip") as backup:
        restore_platform(empty, backup)
    after = taken(empty, tmp_path / "b.zip")
    assert held(after) == held(before)
    assert after.schema_version == before.schema_version


def test_a_restored_store_counts_on(filled, empty, tmp_path):
    """Its revision is one further, so no index of another store fits, and new deliveries get new numbers."""
    taken(filled, tmp_path / "a.zip")
    with open_backup(tmp_path / "a.zip") as backup:
        restore_platform(empty, backup)
    with empty.begin() as connection:
        assert connection.scalar(select(tables.store_state.c.revision)) == 42
        row = connection.execute(select(tables.webhook_deliveries)).mappings().first()
        assert row is not None
        again = {name: value for name, value in row.items() if name != "number"} | {"id": "another"}
        connection.execute(insert(tables.webhook_deliveries), again)
        assert connection.scalar(select(func.max(tables.webhook_deliveries.c.number))) == 4


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_backup_that_was_cut_short_is_refused(filled, tmp_path, share):
    whole = tmp_path / "a.zip"
    taken(filled, whole)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[: int(whole.stat().st_size * share)])
    with pytest.raises(InvalidInput, match="cut off"), open_backup(cut):
        pass


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../../x", "is no part of a backup"),
        ("notes.txt", "is no part of a backup"),
        ("courses.jsonl", "is there twice"),
    ],
)
def test_a_backup_with_a_strange_member_is_refused_by_its_name(filled, tmp_path, name, said):
    """One that the manifest does not list, or lists once where there are two."""
    whole = tmp_path / "a.zip"
    taken(filled, whole)
    with ZipFile(whole, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile's, of a name that is there twice
        archive.writestr(name, b"x")
    with pytest.raises(InvalidInput, match=f"a.zip: {re.escape(name)}: {said}"), open_backup(whole):
        pass


@pytest.mark.parametrize("change", ["row lost", "value changed", "row twice", "no JSON", "no such member"])
def test_a_changed_backup_is_refused_and_nothing_of_it_stays(filled, empty, tmp_path, change):
    """The fault names the member; the store is as empty as before."""
    taken(filled, tmp_path / "a.zip")
    with ZipFile(tmp_path / "a.zip") as old, ZipFile(tmp_path / "b.zip", "w") as new:
        for name in old.namelist():
            lines = old.read(name).splitlines(keepends=True)
            if name == "waiting_questions.jsonl":
                if change == "no such member":
                    continue
                lines = {
                    "row lost": lines[:-1],
                    "row twice": [*lines, lines[-1]],
                    "value changed": [lines[0].replace("号".encode(), "好".encode()), *lines[1:]],
                    "no JSON": [lines[0][:-2] + b"\n", *lines[1:]],
                }[change]
            new.writestr(name, b"".join(lines))
    with open_backup(tmp_path / "b.zip") as backup:
        with pytest.raises((InvalidInput, Conflict)) as checked:
            backup.check()
        with pytest.raises((InvalidInput, Conflict)):
            restore_platform(empty, backup)
    assert "waiting_questions.jsonl" in checked.value.message
    with empty.connect() as connection:
        assert schema_version(connection) is None


def test_a_store_that_holds_something_is_left_alone(filled, databases, tmp_path):
    manifest = taken(filled, tmp_path / "a.zip")
    with open_backup(tmp_path / "a.zip") as backup, pytest.raises(Conflict, match="not empty"):
        restore_platform(databases.engine, backup)
    assert taken(filled, tmp_path / "b.zip").tables == manifest.tables


def test_a_new_store_that_was_only_opened_is_empty(filled, tmp_path, sqlite_template):
    """As `vta doctor` leaves it: with all tables and its own secrets."""
    manifest = taken(filled, tmp_path / "a.zip")
    target = open_engine(sqlite_template.copy(tmp_path / "new.db"))
    with open_backup(tmp_path / "a.zip") as backup:
        restore_platform(target, backup)
    assert held(taken(target, tmp_path / "b.zip")) == held(manifest)
    target.dispose()


def test_a_backup_of_an_older_release_is_restored_and_brought_up(filled, empty, tmp_path):
    """The tables and columns that came later have what a migration gives them."""
    taken(filled, tmp_path / "a.zip")
    old = open_engine(sqlite_url(tmp_path / "old.db"))
    with old.begin() as connection:
        migrate(connection, "0029")
        then = _reflected(connection)
    old.dispose()
    _as_of(tmp_path / "a.zip", tmp_path / "old.zip", "0029", then)
    with open_backup(tmp_path / "old.zip") as backup:
        restore_platform(empty, backup)
    with empty.connect() as connection:
        courses = connection.execute(select(tables.courses)).mappings().all()
        assert [row["relevance"] for row in courses] == [None] * 3
        assert len({row["name"] for row in courses}) == 3
        assert connection.scalar(select(func.count()).select_from(tables.turns)) == 3
        assert connection.scalar(select(func.count()).select_from(tables.invitations)) == 0


@pytest.mark.parametrize(("version", "says"), [("9999", "update first"), ("0026", "with the commit 8e3dbe2")])
def test_a_backup_of_an_unknown_schema_is_refused(version, says, filled, empty, tmp_path):
    """Whether of a newer release or from before the first; the message says what to do."""
    taken(filled, tmp_path / "a.zip")
    _as_of(tmp_path / "a.zip", tmp_path / "new.zip", version, None)
    with open_backup(tmp_path / "new.zip") as backup, pytest.raises(InvalidInput, match=says):
        restore_platform(empty, backup)


def test_one_course_comes_back_with_all_that_is_its_own(databases, tmp_path):
    """Its conversations, keys and history; the other courses keep theirs."""
    engine = databases.engine
    filled_store.fill(engine)
    with engine.connect() as connection:
        course = CourseId(
            connection.scalars(select(tables.courses.c.id).order_by(tables.courses.c.id)).first()
        )
        revision = connection.scalar(select(tables.courses.c.revision).filter_by(id=course))
    whole, one = taken(engine, tmp_path / "a.zip"), taken(engine, tmp_path / "one.zip", course=course)
    assert {name for name, member in one.tables.items() if member.rows == 1} == set(one.tables)
    assert {"turns", "faq_versions", "question_messages", "course_keys"} <= set(one.tables)
    assert not {"lti_platforms", "lti_contexts", "store_secrets", "console_sessions"} & set(one.tables)

    with engine.begin() as connection:
        connection.execute(delete(tables.courses).where(tables.courses.c.id == course))
    with open_backup(tmp_path / "one.zip") as backup:
        assert restore_course(engine, backup, tmp_path) == course
    with engine.begin() as connection:  # the revision alone goes on from that of the store
        row = select(tables.courses.c.revision).filter_by(id=course)
        assert connection.scalar(row) > revision
        connection.execute(update(tables.courses).filter_by(id=course).values(revision=revision))
    again = taken(engine, tmp_path / "b.zip")
    numbered = {"webhook_deliveries"}
    for name in {table.name for table in owned_tables()} - numbered:
        assert again.tables[name] == whole.tables[name], name
    assert again.tables["webhook_deliveries"].rows == 3

    with open_backup(tmp_path / "one.zip") as backup, pytest.raises(Conflict, match=r"exists|already"):
        restore_course(engine, backup, tmp_path)


@pytest.mark.parametrize("version", ["as it was written", "0029"])
def test_the_backup_of_a_course_of_an_earlier_release_is_restored(databases, tmp_path, version):
    """Written before course files and backups were one format, it is brought to the newest schema."""
    given = Path(__file__).parents[1] / "data" / "archives" / "course-backup-v2.zip"
    if version == "0029":
        old = open_engine(sqlite_url(tmp_path / "old.db"))
        with old.begin() as connection:
            migrate(connection, version)
            then = _reflected(connection)
        old.dispose()
        _as_of(given, given := tmp_path / "old.zip", version, then)
    with open_backup(given) as backup:
        course = restore_course(databases.engine, backup, tmp_path)
    assert databases.courses.course(course).name == "数据结构"
    assert [entry.draft.answer for entry in databases.faq.entries(course)] == ["周五。"]
    assert len(list(databases.documents.pairs(course))) == 3


def test_each_kind_of_backup_says_where_it_does_not_belong(filled, empty, tmp_path):
    with filled.connect() as connection:
        course = CourseId(connection.scalars(select(tables.courses.c.id)).first())
    taken(filled, tmp_path / "a.zip")
    taken(filled, tmp_path / "one.zip", course=course)
    with (
        open_backup(tmp_path / "one.zip") as backup,
        pytest.raises(InvalidInput, match="backup of the course"),
    ):
        restore_platform(empty, backup)
    with open_backup(tmp_path / "a.zip") as backup, pytest.raises(InvalidInput, match="backup of a platform"):
        restore_course(filled, backup, tmp_path)


def test_a_backup_taken_while_others_write_is_of_one_moment(databases, empty, tmp_path):
    """Every session in it has its turn, which is written in the same transaction; foreign keys hold."""
    engine, stopping, written = databases.engine, threading.Event(), []
    with engine.begin() as connection:
        connection.execute(insert(tables.courses), {"id": "c", "name": "c", "domains": [], "language": "en"})

    def write() -> None:
        now = datetime.now(UTC)
        while not stopping.is_set():
            name = f"s{len(written):06}"
            with engine.begin() as connection:
                connection.execute(insert(tables.sessions), {"id": name, "course_id": "c", "created_at": now})
                turn = {"id": name, "session_id": name, "number": 1, "question": "?", "answer": {}}
                connection.execute(insert(tables.turns), turn | {"created_at": now})
            written.append(name)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        manifests = [taken(engine, tmp_path / f"{number}.zip") for number in range(5)]
    finally:
        stopping.set()
        writer.join()
    counts = [(m.tables["sessions"].rows, m.tables["turns"].rows) for m in manifests]
    assert all(sessions == turns for sessions, turns in counts)
    assert counts == sorted(counts)
    assert 0 < counts[-1][0] <= len(written)
    with open_backup(tmp_path / "4.zip") as backup:
        restore_platform(empty, backup)
    assert rows(empty)["turns"] == counts[-1][1]


def _reflected(connection: Connection) -> Mapping[str, Table]:
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata.tables


def _as_of(old: Path, new: Path, version: str, then: Mapping[str, Table] | None) -> None:
    """The backup as a release with the tables of `then` would have written it; version 1 names tables.

    A column that was needed then, and is gone, is empty.
    """
    with ZipFile(old) as source, ZipFile(new, "w") as target:
        manifest = json.loads(source.read("manifest.json")) | {"schema_version": version, "version": 1}
        manifest["tables"] = {
            name.removesuffix(".jsonl"): member for name, member in manifest.pop("members").items()
        }
        for name, member in list(manifest["tables"].items()):
            if then is not None and name not in then:
                del manifest["tables"][name]
                continue
            own, names = ({} if then is None else then[name].columns), member["columns"]
            kept = [i for i, c in enumerate(names) if then is None or c in own]
            gone = [c for c in own.values() if not c.nullable and c.name not in names] if then else []
            lines = [json.loads(line) for line in source.read(f"{name}.jsonl").splitlines()]
            empty = [[] if isinstance(c.type, JSON) else c.type.python_type() for c in gone]
            rows = [[*(line[i] for i in kept), *empty] for line in lines]
            text = "".join(json.dumps(row) + "\n" for row in rows).encode()
            member["columns"] = [*(names[i] for i in kept), *(c.name for c in gone)]
            member["size"], member["sha256"] = len(text), hashlib.sha256(text).hexdigest()
            target.writestr(f"{name}.jsonl", text)
        target.writestr("manifest.json", json.dumps(manifest))
