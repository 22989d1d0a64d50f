"""A daily backup of everything (UTC) into a folder: written, read back, and old ones removed."""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from services.archive.backups import note_backup, save_backup
from services.archive.zipped import open_backup
from services.store.audit_log import Event
from services.stores import Stores
from vta.errors import VtaError
from vta.ports import Clock

LATE = timedelta(hours=26)
"""Age of the last daily backup above which one is missing."""
BACKUP_AGE = timedelta(days=7)
"""Age of the last backup above which one is missing where none is made each day."""
LOOK_S = 3600.0
"""Seconds after which a server looks again whether a backup is due, and tries one that failed."""
_UNCHECKED = "unchecked-"
_NAMES = "vta-????-??-??.zip"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyBackups:
    """The backups of one platform in a folder; one process at a time may make them."""

    stores: Stores
    home: Path
    folder: Path
    kept: int
    clock: Clock

    def make_due(self) -> int:
        """Make the backup of today and drop what is too old; returns how many were made.

        What cannot be read back is not kept. A failure stands in the log and in the audit log.
        """
        now = self.clock.now().astimezone(UTC)
        file = self.folder / f"vta-{now:%Y-%m-%d}.zip"
        try:
            if file.exists():
                return 0
            for left in self.folder.glob(f".*{_NAMES}-*"):  # of a process that was killed
                shutil.rmtree(left, ignore_errors=True)
            for left in self.folder.glob(f"{_UNCHECKED}{_NAMES}"):
                left.unlink()
            self._make(file)
        except (VtaError, OSError) as failure:
            _log.error("the backup of today failed: %s", failure)
            self.stores.audit_log.note(Event.BACKUP_FAILED)
            return 0
        self.stores.audit_log.note(Event.BACKUP_MADE, detail=file.name)
        note_backup(self.home, now)
        for old in sorted(self.folder.glob(_NAMES))[: -self.kept]:
            old.unlink()
        return 1

    def _make(self, file: Path) -> None:
        unchecked = file.with_name(_UNCHECKED + file.name)
        save_backup(self.stores.engine, unchecked, clock=self.clock)
        try:
            with open_backup(unchecked) as backup:
                backup.check()
            unchecked.rename(file)
        except BaseException:
            unchecked.unlink()
            raise


def last_daily_backup(folder: Path) -> datetime | None:
    """The time of the last backup in a folder; None for none."""
    try:
        last = max(folder.glob(_NAMES), default=None)
        return None if last is None else datetime.fromtimestamp(last.stat().st_mtime, UTC)
    except OSError:
        return None
