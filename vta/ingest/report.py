"""What an ingest did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vta.types import Rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """Documents by what happened to them, the pairs the course has gained, and the time it took.

    `replaced` are those of `added` that were stored before; `passages` counts the pairs of each added one.
    """

    added: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    passages: Mapping[str, int] = field(default_factory=dict)
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    pairs: int = 0
    seconds: float = 0.0
