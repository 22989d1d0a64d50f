"""A server makes the daily backup, whichever of several does it, and tells when it was."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from served_platform import Serve, Served, TemplateHomes
from worker_server import until, worker_server

from services.archive.daily import last_daily_backup
from services.clock import SystemClock
from services.settings import Settings
from services.store.audit_log import Event
from services.stores import open_stores

WAIT_S = 30.0


def made(api: Served) -> int:
    entries = api.platform.stores.audit_log.entries(limit=1000)
    return sum(each.event is Event.BACKUP_MADE for each in entries)


def test_a_server_makes_one_and_its_metric_tells_when(serve: Serve, tmp_path: Path) -> None:
    """Soon after its start, once."""
    folder = tmp_path / "backups"
    folder.mkdir()
    api = serve(backup_folder=folder)
    deadline = time.monotonic() + WAIT_S
    while not made(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    (file,) = folder.iterdir()
    metrics = api.client.get("/metrics").text
    told = re.search(r"^vta_last_backup_timestamp_seconds (\S+)$", metrics, re.MULTILINE)
    assert told
    assert float(told[1]) == pytest.approx(file.stat().st_mtime, abs=0.01)
    assert last_daily_backup(folder) is not None
    assert made(api) == 1


def test_without_a_folder_there_is_no_backup_and_no_metric(serve: Serve) -> None:
    """As before."""
    api = serve()
    assert "vta_last_backup" not in api.client.get("/metrics").text
    assert api.platform.backups is None


@pytest.mark.slow
def test_of_several_workers_one_makes_it(templates: TemplateHomes, tmp_path: Path) -> None:
    """Both are up; there is one file, and one entry of the audit log."""
    home, folder = tmp_path / "home", tmp_path / "backups"
    folder.mkdir()
    templates.copy_small(home)
    with worker_server(home, backup_folder=str(folder)) as server:
        server.until_all_serve(2)
        until(lambda: list(folder.glob("vta-*.zip")))
        assert server.stop() == 0
    stores = open_stores(Settings(home=home).store_url, SystemClock())
    assert sum(each.event is Event.BACKUP_MADE for each in stores.audit_log.entries(limit=1000)) == 1
    stores.close()
