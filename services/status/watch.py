"""Which parts of a platform work now, and since when one does not: for `/readyz` and the status page."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from services.archive.backups import last_backup
from services.archive.daily import BACKUP_AGE, LATE, last_daily_backup
from services.settings import Settings
from services.wiring import Platform
from vta.errors import UpstreamFailed, VtaError
from vta.ports import Clock

VITAL = ("store", "index")
"""Without these no question is answered."""
LOOK_S = 300.0
"""Seconds between two looks of a server at its parts."""

_log = logging.getLogger(__name__)


class Works(StrEnum):
    """Whether a part works; `OFF` for one that is not set up, `UNKNOWN` before the first look."""

    YES = "works"
    NO = "fails"
    OFF = "off"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartState:
    """A part as a teacher knows it; `since` is the first time that it was seen not to work."""

    name: str
    works: Works
    since: datetime | None = None
    last_backup: datetime | None = None


class StatusWatch:
    """The parts of a platform as this process sees them; it remembers since when one does not work."""

    def __init__(self, platform: Platform, clock: Clock) -> None:
        self._platform = platform
        self._clock = clock
        self._since: dict[str, datetime] = {}
        self._mail = Works.UNKNOWN if platform.mail_worker.can_send else Works.OFF

    async def look(self) -> int:
        """Look at every part and ask the mail server, which may take half a minute. Always 0."""
        if self._platform.mail_worker.can_send:
            failure = await asyncio.to_thread(self._platform.mail_worker.fault)
            self._mail = Works.YES if failure is None else Works.NO
        await asyncio.to_thread(self.states)
        return 0

    def states(self) -> tuple[PartState, ...]:
        """Every part now; mail as it was at the last look."""
        now = self._clock.now()
        return tuple(self._timed(state, now) for state in self._found(now))

    def _found(self, now: datetime) -> Iterator[PartState]:
        parts = check_parts(self._platform)
        needs = {"answers": VITAL, "search_index": ("index",), "storage": ("store", "disk")}
        for name, needed in needs.items():
            broken = any(parts.get(each, "ok") != "ok" for each in needed)
            yield PartState(name=name, works=Works.NO if broken else Works.YES)
        model = Works.OFF if self._platform.model is None else Works.NO
        yield PartState(name="language_model", works=Works.YES if parts["language_model"] == "ok" else model)
        yield PartState(name="mail", works=self._mail)
        yield backup_state(self._platform.settings, now)

    def _timed(self, state: PartState, now: datetime) -> PartState:
        if state.works is not Works.NO:
            self._since.pop(state.name, None)
            return state
        return replace(state, since=self._since.setdefault(state.name, state.since or now))


def backup_state(settings: Settings, now: datetime) -> PartState:
    """The last good backup: late after 26 hours where they are daily, after a week where made by hand."""
    folder = settings.backup_folder
    last = last_daily_backup(folder) if folder else last_backup(settings.home)
    if last is None:
        return PartState(name="backup", works=Works.NO if folder else Works.OFF)
    late = last + (LATE if folder else BACKUP_AGE)
    if now <= late:
        return PartState(name="backup", works=Works.YES, last_backup=last)
    return PartState(name="backup", works=Works.NO, since=late, last_backup=last)


def check_parts(platform: Platform) -> dict[str, str]:
    """Each part with ok, or what is wrong with it. Waits for the store and the index."""
    parts = {
        "store": _try(platform.stores.check),
        "index": _try(platform.knowledge.sync),
        "language_model": "not configured; the offline teacher answers",
    }
    if platform.model is not None:
        parts["language_model"] = "failing; the offline teacher answers" if platform.model.failing else "ok"
    if (reason := platform.stores.unwritable()) is not None:
        parts["disk"] = f"{reason}; questions are answered and nothing is stored"
    return parts


def _try(check: Callable[[], object]) -> str:
    try:
        check()
    except UpstreamFailed as failure:
        _log.warning("not ready: %s", failure.message)
        return "cannot be used right now; the log says why"
    except VtaError as failure:
        return failure.message
    return "ok"
