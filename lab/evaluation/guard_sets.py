"""Texts that are attacks or none: how many of either the guard flags."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from intent.guard.detector import KINDS
from lab.evaluation.rows import Cell, read_rows
from vta.ports import Guard


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    text: Cell
    malicious: bool | None = None
    kind: str | None = None


def measure_guard(file: Path, guard: Guard) -> dict[str, object]:
    """Recall on attacks and the share of harmless texts that are flagged; null where there are none.

    Rows are JSON Lines {text, malicious: true or false} or {text, kind}, where the guard's kinds are attacks.
    """
    flagged: dict[bool, list[bool]] = {True: [], False: []}
    for row in read_rows(file, _Row):
        attack = row.kind in KINDS if row.malicious is None else row.malicious
        flagged[attack].append(guard.inspect(row.text).flag)
    return {
        "n": len(flagged[True]) + len(flagged[False]),
        "attacks": len(flagged[True]),
        "recall": _share(flagged[True]),
        "false_positives": _share(flagged[False]),
    }


def _share(flags: list[bool]) -> float | None:
    return round(sum(flags) / len(flags), 4) if flags else None
