"""Counts of admitted requests by window of time: in this process, or shared by all processes."""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from services.settings import Settings
from vta.errors import InvalidInput, NotReady
from vta.faults import Fault

if TYPE_CHECKING:
    from services.web.redis_counters import RedisCounters

_LOCKED_S = 0.01
"""Seconds that the lock of the file is waited for; it is held for some microseconds."""
_TABLE = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS counts (name TEXT, period INTEGER, count INTEGER, PRIMARY KEY (name, period))
        WITHOUT ROWID;
"""
_ADD = """
    INSERT INTO counts VALUES (:name, :window, 1)
    ON CONFLICT DO UPDATE SET count = count + 1
    RETURNING (SELECT count FROM counts WHERE name = :name AND period = :window - 1), count
"""

_log = logging.getLogger(__name__)


class LocalCounters:
    """Counts of this process, for one event loop; it holds two windows."""

    def __init__(self) -> None:
        self._windows: dict[int, dict[str, int]] = {}

    def add(self, name: str, window: int) -> tuple[int, int]:
        """Count one in a window; returns the counts of the window before it and of this one."""
        if window not in self._windows:
            self._windows = {w: kept for w, kept in self._windows.items() if w == window - 1}
            self._windows[window] = {}
        counts = self._windows[window]
        counts[name] = counts.get(name, 0) + 1
        return self._windows.get(window - 1, {}).get(name, 0), counts[name]

    def take_back(self, name: str, window: int) -> None:
        """Undo one `add` to a window."""
        self._windows[window][name] -= 1


class FileCounters:
    """Counts by name of the processes of one machine, in windows of time, in an SQLite file.

    Where the file is locked for long, or cannot be used, the count is unknown.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._unusable = False
        self._latest = 0

    async def add(self, name: str, window: int, window_s: int) -> tuple[int, int] | None:
        """Count one in a window of `window_s` seconds; returns the counts of the last and of this window.

        None means unknown: the caller counts by itself. Never raises, and never waits for long.
        """
        found = self._run(_ADD, {"name": name, "window": window})
        if found and window > self._latest:
            self._run("DELETE FROM counts WHERE period < ?", (window - 1,))
            self._latest = window
        return (found[0][0] or 0, found[0][1]) if found else None

    async def take_back(self, name: str, window: int) -> None:
        """Undo one `add` to a window, if that can be done."""
        self._run("UPDATE counts SET count = max(0, count - 1) WHERE name = ? AND period = ?", (name, window))

    async def state(self) -> None:
        """No service is behind the counts."""

    async def aclose(self) -> None:
        self._unusable = True
        if self._connection is not None:
            self._connection.close()

    def _run(self, statement: str, values: object) -> list[tuple[int, int]] | None:
        """The rows; None where the file cannot be used now."""
        if self._unusable:
            return None
        try:
            if self._connection is None:
                self._connection = self._open()
            return self._connection.execute(statement, values).fetchall()  # type: ignore[arg-type]
        except sqlite3.Error as failure:
            if getattr(failure, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                _log.warning("limits are counted in this process: %s", failure)
                self._unusable = True
            return None

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._file, timeout=_LOCKED_S, isolation_level=None, check_same_thread=False
        )
        try:
            connection.executescript(_TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


SharedCounters: TypeAlias = "FileCounters | RedisCounters"


def open_counters(settings: Settings) -> SharedCounters:
    """Redis where it is set, else a file that the processes of a data folder share.

    Redis need not be up yet; `NotReady` where its package is not installed.
    """
    if settings.redis_url is None:
        return FileCounters(settings.home / "limits.db")
    try:
        from services.web.redis_counters import RedisCounters
    except ImportError as error:
        raise NotReady(Fault("setting.redis_extra")) from error
    try:
        return RedisCounters(settings.redis_url)
    except ValueError as error:
        raise InvalidInput(Fault("setting.redis_address"), field="VTA_REDIS_URL") from error
