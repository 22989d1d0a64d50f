"""What an ingest did."""

from __future__ import annotations

from dataclasses import dataclass

from vta.types import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """Documents by what happened to them, the pairs the course has gained, and the time it took."""

    added: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]
    rejected: tuple[Rejection, ...]
    pairs: int
    seconds: float
