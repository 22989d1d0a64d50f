"""`vta backup` and `vta restore`: from SQLite to PostgreSQL while students ask, and one course alone."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.resources import as_file, files
from importlib.util import find_spec

import httpx
import pytest
from template_databases import new_database

from services.clock import SystemClock
from services.store.engine import sqlite_url
from services.stores import open_stores
from vta.types.courses import CourseId, Role

COURSE = "data-structures-zh"
GOLDEN = (
    "什么是栈？",
    "栈和队列有什么区别？",
    "作业什么时候交",
    "怎样获得课程证书？",
    "跳表是什么？",
    "为什么",
)

pytestmark = pytest.mark.skipif(
    not (files("intent") / "weights" / "model.onnx").is_file(),
    reason="backups are not proven on the command line: intent/weights/model.onnx is missing",
)


@pytest.fixture
def filled(command, tmp_path):
    """A data folder with the Chinese sample course and an entry of its own."""
    home = str(tmp_path / "here")
    with as_file(files("services.demo") / "courses" / COURSE / "material") as material:
        runs = [
            command("course", "add", COURSE, "--name", "数据结构", "--domain", "计算机科学", home=home),
            command("ingest", COURSE, str(material), home=home),
            command(
                "faq", COURSE, "add", "--question", "什么时候交作业？", "--answer", "每周五。", home=home
            ),
        ]
    assert [run.code for run in runs] == [0] * 3, [run.err for run in runs]
    return home


@pytest.fixture
def s3(tmp_path) -> Iterator[dict[str, str]]:
    """A server of its own that speaks S3, with the bucket `kept`; the variables by which boto3 reaches it."""
    if find_spec("moto") is None or find_spec("boto3") is None:
        pytest.skip("backups in an S3-compatible store are not proven: moto and boto3 are absent")
    with (tmp_path / "s3.log").open("w+b") as log:
        server = subprocess.Popen([sys.executable, "-m", "moto.server", "-p", "0"], stdout=log, stderr=log)
        try:
            ends = time.monotonic() + 60
            while not (found := re.search(rb"http://127\.0\.0\.1:\d+", (tmp_path / "s3.log").read_bytes())):
                assert (server.poll(), time.monotonic() < ends) == (None, True)
                time.sleep(0.1)
            address = found[0].decode()
            assert httpx.put(f"{address}/kept").status_code == 200
            yield {
                "AWS_ENDPOINT_URL": address,
                "AWS_ACCESS_KEY_ID": "a",
                "AWS_SECRET_ACCESS_KEY": "b",
                "AWS_MAX_ATTEMPTS": "1",
            }
        finally:
            server.terminate()
            server.wait()


def answers(command, home: str, **settings: str) -> list[dict[str, object]]:
    """The golden answers, without what is different each time."""
    asked = "".join(json.dumps({"question": question}) + "\n" for question in GOLDEN)
    ran = command("ask", COURSE, "-", "--json", stdin=asked, home=home, **settings)
    assert ran.code == 0, ran.err
    changing = {"turn_id", "session_id", "trace"}
    return [{name: value for name, value in line.items() if name not in changing} for line in ran.lines]


@pytest.mark.slow
def test_a_platform_moves_to_postgresql_while_others_write(command, filled, tmp_path, postgres_server):
    """The golden questions are answered there as here, and what was written before the backup is there."""
    before = answers(command, filled)
    stopping = threading.Event()
    stores = open_stores(sqlite_url(tmp_path / "here" / "vta.db"), SystemClock())

    made: list[str] = []

    def make_keys() -> None:
        while not stopping.is_set():
            made.append(stores.keys.make(CourseId(COURSE), Role.INSTRUCTOR)[0])

    writers = [threading.Thread(target=make_keys) for _ in range(2)]
    for each in writers:
        each.start()
    try:
        written_before = len(made)
        saved = command("backup", "vta.zip", "--json", home=filled)
    finally:
        stopping.set()
        for each in writers:
            each.join()
        stores.close()
    assert saved.code == 0, saved.err
    assert saved.json["rows"]["documents"] > 20

    with new_database(postgres_server) as url:
        restored = command("restore", "vta.zip", "--json", home=str(tmp_path / "there"), database_url=url)
        assert restored.code == 0, restored.err
        assert restored.json["rows"] == saved.json["rows"]
        assert answers(command, str(tmp_path / "there")) == before
        moved = open_stores(url, SystemClock())
        for key in made[:written_before]:
            assert moved.keys.check(key) is not None
        moved.close()


def test_a_course_removed_by_mistake_comes_back(command, filled, tmp_path):
    """With its entries, answers and conversations; the file is for its owner alone."""
    before = answers(command, filled)
    saved = command("backup", "ds.zip", "--course", COURSE, "--json", home=filled)
    assert saved.code == 0, saved.err
    assert stat.S_IMODE((tmp_path / "ds.zip").stat().st_mode) == 0o600
    checked = command("restore", "ds.zip", "--check", home=filled)
    assert (checked.code, checked.out.splitlines()[-1]) == (0, "complete; nothing was changed")
    assert command("course", "remove", COURSE, "--yes", home=filled).code == 0
    restored = command("restore", "ds.zip", "--json", home=filled)
    assert restored.code == 0, restored.err
    assert restored.json["rows"] == saved.json["rows"]
    assert answers(command, filled) == before


def test_what_cannot_be_restored_is_said_in_a_line(command, tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK")
    ran = command("restore", "no.zip")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "no.zip: is no backup, or was cut off" in ran.err
    assert command("restore", "nowhere.zip").code == 2
    again = [command("backup", "a.zip"), command("backup", "a.zip")]
    assert [ran.code for ran in again] == [0, 2]


def test_a_backup_goes_to_an_s3_store_and_comes_back(command, filled, tmp_path, s3, monkeypatch):
    """It is the same backup; an existing one stays, and each fault is one line that names the target."""
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    target = "s3://kept/2026/vta.zip"
    before = answers(command, filled)
    assert command("backup", "s3://kept/2026/vta.zip.old", home=filled).code == 0
    saved = command("backup", target, "--json", home=filled)
    assert (saved.code, saved.json["file"]) == (0, target), saved.err
    assert command("restore", target, "--check", home=filled).code == 0
    restored = command("restore", target, "--json", home=str(tmp_path / "there"))
    assert restored.code == 0, restored.err
    assert restored.json["rows"] == saved.json["rows"]
    assert answers(command, str(tmp_path / "there")) == before
    faults = {
        ("backup", target): "exists already",
        ("restore", "s3://kept/no.zip"): "cannot be read",
        ("backup", "s3://no-bucket/vta.zip"): "cannot be written",
        ("backup", "s3://kept"): "name a bucket and a key",
    }
    for (verb, where), words in faults.items():
        ran = command(verb, where, home=filled)
        assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
        assert f"{where}: {words}" in ran.err
    for endpoint in ("http://127.0.0.1:9", "no-scheme:9000"):
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
        away = command("backup", "s3://kept/new.zip", home=filled)
        assert (away.code, "s3://kept/new.zip: cannot be written" in away.err) == (2, True), away.err


def test_the_extra_is_named_where_boto3_is_missing(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    ran = command("backup", "s3://kept/vta.zip")
    assert (ran.code, "s3://kept/vta.zip: needs the extra, pip install 'vta-platform[s3]'" in ran.err) == (
        2,
        True,
    )
