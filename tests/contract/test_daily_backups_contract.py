"""Daily backups, on each database: made once a day, read back, and only the last ones kept."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest
from clocks import SetClock

from services.archive import daily
from services.archive.backups import last_backup
from services.archive.daily import DailyBackups, last_daily_backup
from services.archive.zipped import open_backup
from services.store.audit_log import Event


@pytest.fixture
def backups(stores, tmp_path) -> DailyBackups:
    folder = tmp_path / "backups"
    folder.mkdir()
    return DailyBackups(
        stores=stores,
        home=tmp_path,
        folder=folder,
        kept=3,
        clock=SetClock(datetime(2026, 11, 27, 5, tzinfo=UTC)),
    )


def names(backups):
    return sorted(each.name for each in backups.folder.iterdir())


def told(backups, event):
    return sum(each.event is event for each in backups.stores.audit_log.entries(limit=1000))


def test_one_a_day_is_made_and_the_last_are_kept(backups):
    """Whole, for its owner alone; what else lies in the folder stays."""
    (backups.folder / "mine.zip").write_bytes(b"x")
    for _ in range(5):
        assert [backups.make_due(), backups.make_due()] == [1, 0]
        backups.clock.moment += timedelta(days=1)
    assert names(backups) == ["mine.zip", "vta-2026-11-29.zip", "vta-2026-11-30.zip", "vta-2026-12-01.zip"]
    last = backups.folder / "vta-2026-12-01.zip"
    with open_backup(last) as backup:
        backup.check()
        assert backup.manifest.rows["courses"] >= 1
    assert last.stat().st_mode & 0o777 == 0o600
    assert last_backup(backups.home) == datetime(2026, 12, 1, 5, tzinfo=UTC)
    assert told(backups, Event.BACKUP_MADE) == 5


def test_one_that_cannot_be_read_back_is_not_kept(backups, monkeypatch, caplog):
    """Those before stay; the next try makes it."""
    backups.make_due()
    backups.clock.moment += timedelta(days=1)
    save = daily.save_backup

    def save_damaged(engine, path, *, clock):
        save(engine, path, clock=clock)
        content = bytearray(path.read_bytes())
        content[40:48] = b"\xff" * 8
        path.write_bytes(bytes(content))

    monkeypatch.setattr(daily, "save_backup", save_damaged)
    assert backups.make_due() == 0
    assert names(backups) == ["vta-2026-11-27.zip"]
    assert told(backups, Event.BACKUP_FAILED) == 1
    assert "the backup of today failed" in caplog.text
    monkeypatch.undo()
    assert backups.make_due() == 1
    assert len(names(backups)) == 2


@pytest.mark.fault(case="T146")
def test_one_that_was_not_read_back_before_the_process_died_is_made_anew(backups, monkeypatch):
    """It does not count as today's."""

    def killed(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(daily, "open_backup", killed)
    monkeypatch.setattr(type(backups.folder), "unlink", lambda *_, **__: None)
    with pytest.raises(KeyboardInterrupt):
        backups.make_due()
    monkeypatch.undo()
    assert last_daily_backup(backups.folder) is None
    assert backups.make_due() == 1
    assert names(backups) == ["vta-2026-11-27.zip"]


def test_a_folder_that_is_not_there_is_not_made(backups):
    """An unmounted disk fails, and says so."""
    backups.folder.rmdir()
    assert backups.make_due() == 0
    assert not backups.folder.exists()
    assert last_daily_backup(backups.folder) is None
    assert told(backups, Event.BACKUP_FAILED) == 1


def test_a_folder_that_cannot_be_used_is_a_failed_backup(backups, caplog):
    """As one of another user: the log says why, and the audit log that it failed."""
    (backups.folder / "unchecked-vta-2026-11-27.zip").mkdir()
    assert backups.make_due() == 0
    assert told(backups, Event.BACKUP_FAILED) == 1
    assert "unchecked-vta-2026-11-27.zip" in caplog.text


def test_what_a_killed_process_left_is_removed(backups):
    """And the age of the last backup is that of its file."""
    left = backups.folder / ".vta-2026-11-26.zip-x1"
    left.mkdir()
    (left / "vta-2026-11-26.zip").write_bytes(b"half")
    backups.make_due()
    assert names(backups) == ["vta-2026-11-27.zip"]
    made = datetime(2026, 11, 27, 5, tzinfo=UTC)
    os.utime(backups.folder / "vta-2026-11-27.zip", (made.timestamp(), made.timestamp()))
    assert last_daily_backup(backups.folder) == made
