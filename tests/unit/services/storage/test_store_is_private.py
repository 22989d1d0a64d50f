"""Who may read the files of the store."""

from __future__ import annotations

import os
import stat

import pytest

from services.clock import SystemClock
from services.storage.engine import sqlite_url
from services.storage.stores import open_stores


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
