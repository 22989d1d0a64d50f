"""A store whose log was deleted under a process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.clock import SystemClock
from services.storage.engine import deleted_files, sqlite_url
from services.storage.stores import open_stores
from vta.errors import NotReady

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
