"""The clock of the machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """The port `Clock`: the time of day in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)
