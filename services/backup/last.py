"""When the platform of a data folder was backed up last, as far as its own command knows."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

_NAME = "last-backup"


def note_backup(home: Path, at: datetime) -> None:
    """Keep when a backup of everything was made; a folder that takes no more fails no backup."""
    with suppress(OSError):
        (home / _NAME).write_text(at.isoformat(), "utf-8")


def last_backup(home: Path) -> datetime | None:
    """When the last one was made; None where none is known."""
    try:
        return datetime.fromisoformat((home / _NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return None
