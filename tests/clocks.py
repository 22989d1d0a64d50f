"""Clocks that a test turns."""

from __future__ import annotations

from datetime import UTC, datetime


class SetClock:
    """`vta.ports.Clock` that stands at the moment that it is set to."""

    def __init__(self, moment: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


class Seconds:
    """Seconds that pass when they are told to."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds
