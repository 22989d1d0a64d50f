"""The clock of the machine, and one that does not follow it back."""

from __future__ import annotations

from datetime import UTC, datetime

from vta.ports import Clock


class SystemClock:
    """The port `Clock`: the time of day in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class ForwardClock:
    """The port `Clock`: the latest time that another clock has shown, so that nothing expired lives again."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._latest = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        self._latest = max(self._latest, self._clock.now())
        return self._latest
