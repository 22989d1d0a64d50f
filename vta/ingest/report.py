"""What an ingest did."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A file that was left out, and why; `line` counts from 1 where the fault has one."""

    path: str
    reason: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """Documents by what happened to them, the pairs the course has gained, and the time it took."""

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    rejected: tuple[Rejection, ...]
    pairs: int
    seconds: float
