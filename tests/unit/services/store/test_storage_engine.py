"""Opening the database: URLs, what is refused, who may read its file, and a log that was deleted."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from services.clock import SystemClock
from services.store.engine import deleted_files, open_engine, place, sqlite_url
from services.stores import open_stores
from vta.errors import InvalidInput, NotReady, UpstreamFailed
from vta.languages import Language
from vta.types.concepts import ConceptEdge
from vta.types.courses import ConceptId, Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair, Source

DS = CourseId("ds")
COURSE = Course(id=DS, name="数据结构", domains=("计算机",), language=Language.ZH)


@pytest.mark.parametrize(
    "url",
    [
        "", "not a url", "mysql://root:hunter2@localhost/vta", "sqlite+aiosqlite:///vta.db",
        "postgresql+psycopg://vta:hunter2@localhost:port/vta", "sqlite://", "sqlite:///:memory:",
        "sqlite:////no/such/folder/vta.db", "sqlite:////",
    ],
)  # fmt: skip
def test_a_wrong_url_names_the_setting_and_keeps_the_password_to_itself(url):
    """The message is about VTA_DATABASE_URL and repeats no secret."""
    with pytest.raises(InvalidInput, match="VTA_DATABASE_URL") as caught:
        open_engine(url)
    assert caught.value.field == "VTA_DATABASE_URL"
    assert "hunter2" not in caught.value.message


def test_postgresql_without_its_driver_names_the_extra(monkeypatch):
    """A plain install says what to install."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InvalidInput, match=r"vta-platform\[postgres\]"):
        open_engine("postgresql://vta@localhost/vta")


def test_the_place_of_a_database_hides_its_password():
    """Messages can name the server without telling the secret."""
    pytest.importorskip(
        "psycopg", reason="PostgreSQL driver not proven: the extra `postgres` is not installed"
    )
    engine = open_engine("postgres://vta:hunter2@127.0.0.1:9/vta")
    assert place(engine) == "postgresql+psycopg://vta:***@127.0.0.1:9/vta"


def test_an_unreachable_server_is_an_upstream_failure():
    """Nothing listens on the discard port; the message names the server and hides the password."""
    pytest.importorskip(
        "psycopg", reason="PostgreSQL driver not proven: the extra `postgres` is not installed"
    )
    with pytest.raises(UpstreamFailed, match=r"127\.0\.0\.1:9") as caught:
        open_stores("postgresql://vta:hunter2@127.0.0.1:9/vta", SystemClock())
    assert "hunter2" not in caught.value.message


def test_a_sqlite_file_of_any_name_is_opened_again_with_what_it_held(tmp_path):
    """Spaces, question marks, percent signs and Chinese in the path are no trouble, and close lets go."""
    file = tmp_path / "我的 folder?%41#1" / "vta.db"
    file.parent.mkdir()
    for _ in range(2):
        stores = open_stores(sqlite_url(file), SystemClock())
        if not stores.courses.courses():
            stores.courses.add(COURSE)
        assert stores.courses.courses() == (COURSE,)
        stores.close()
    assert file.is_file()


def test_sqlite_is_opened_so_that_nothing_acknowledged_is_lost(tmp_path):
    """WAL, full synchronisation and foreign keys hold on every connection."""
    stores = open_stores(sqlite_url(tmp_path / "vta.db"), SystemClock())
    with stores.engine.connect() as first, stores.engine.connect() as second:
        for connection in (first, second):
            pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            values = [connection.exec_driver_sql(f"PRAGMA {pragma}").scalar() for pragma in pragmas]
            assert values == ["wal", 2, 1, 30_000]
    stores.close()


def test_a_file_that_is_no_database_is_named(tmp_path):
    """The file stays as it was."""
    file = tmp_path / "notes.db"
    file.write_text("# my notes\n" * 1000)
    with pytest.raises(InvalidInput, match="not a SQLite database") as caught:
        open_stores(sqlite_url(file), SystemClock())
    assert caught.value.path == str(file)
    assert file.read_text() == "# my notes\n" * 1000


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    """No byte of the other program's file is changed."""
    file = tmp_path / "other.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE photos (id INTEGER)")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(InvalidInput, match="another program") as caught:
        open_stores(sqlite_url(file), SystemClock())
    assert caught.value.path == str(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_a_damaged_file_is_named(tmp_path):
    """Garbage in the middle of the file is an error about that file, not a wrong answer."""
    file = tmp_path / "vta.db"
    stores = open_stores(sqlite_url(file), SystemClock())
    stores.courses.add(COURSE)
    pairs = tuple(
        QAPair(id=PairId(str(n)), course_id=DS, source=Source.FAQ, question="q" * 99, answer="a" * 99)
        for n in range(500)
    )
    stores.documents.apply(DS, put=[CourseDocument(path="a", sha256="0", pairs=pairs)])
    stores.close()
    damage(file)
    with pytest.raises(UpstreamFailed, match="damaged") as caught:  # noqa: PT012
        reopened = open_stores(sqlite_url(file), SystemClock())
        try:
            list(reopened.documents.pairs())
        finally:
            reopened.close()
    assert caught.value.path == str(file)


def damage(file: Path) -> None:
    """Overwrite all pages but the first with noise."""
    body = bytearray(file.read_bytes())
    body[4096:] = random.Random(1).randbytes(len(body) - 4096)
    file.write_bytes(body)


def test_half_a_character_is_refused(tmp_path):
    """A lone surrogate cannot be stored, and nothing of the record is."""
    stores = open_stores(sqlite_url(tmp_path / "vta.db"), SystemClock())
    with pytest.raises(InvalidInput, match="surrogate"):
        stores.courses.add(Course(id=DS, name="\ud83d", domains=(), language=Language.ZH))
    assert stores.courses.courses() == ()
    stores.close()


def test_a_number_that_json_does_not_have_is_refused(tmp_path):
    """NaN never reaches the store."""
    stores = open_stores(sqlite_url(tmp_path / "vta.db"), SystemClock())
    stores.courses.add(COURSE)
    edge = ConceptEdge(prerequisite=ConceptId("a"), concept=ConceptId("b"), score=float("nan"))
    with pytest.raises(InvalidInput, match="cannot be stored"):
        stores.documents.apply(DS, put=[CourseDocument(path="a", sha256="0", edges=(edge,))])
    assert stores.documents.states(DS) == {}
    stores.close()


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="open files are not seen: no /proc"
)


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_process_that_writes_into_a_deleted_log_is_not_ready(tmp_path: Path, end: str) -> None:
    file = tmp_path / "vta.db"
    stores = open_stores(sqlite_url(file), SystemClock())
    stores.secrets.secret("a secret")
    stores.check()
    assert deleted_files(file) == ()
    file.with_name(file.name + end).unlink()
    with pytest.raises(NotReady) as refused:
        stores.check()
    assert str(os.getpid()) in refused.value.message
    assert deleted_files(file) == (os.getpid(),)
    stores.close()
    assert deleted_files(file) == ()


def test_a_second_connection_leaves_the_locks_of_the_first_alone(tmp_path: Path) -> None:
    """The file is not opened beside SQLite: its lock on the log is there after further connections."""
    file = tmp_path / "vta.db"
    stores = open_stores(sqlite_url(file), SystemClock())
    with stores.engine.connect() as first, stores.engine.connect() as second:
        for each in (first, second):
            each.exec_driver_sql("SELECT count(*) FROM sqlite_master").fetchall()
        inode = file.stat().st_ino
        locked = [line for line in Path("/proc/locks").read_text().splitlines() if f":{inode} " in line]
        assert any(f" {os.getpid()} " in line for line in locked)
    stores.close()


@pytest.mark.parametrize("before", [None, 0o644])
def test_the_store_is_readable_by_its_owner_alone(tmp_path, before):
    """The file and what SQLite keeps beside it, whether we make it or it was made by an earlier version."""
    file = tmp_path / "vta.db"
    mask = os.umask(0o022)
    try:
        if before is not None:
            file.touch()
            file.chmod(before)
        stores = open_stores(sqlite_url(file), SystemClock())
        stores.secrets.secret("a secret")
        made = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("vta.db*")}
        stores.close()
    finally:
        os.umask(mask)
    assert set(made) >= {"vta.db", "vta.db-wal", "vta.db-shm"}
    assert set(made.values()) == {0o600}
