"""Texts that are attacks or none: how many of either the guard flags."""

from __future__ import annotations

from pathlib import Path

from intent.guard.detector import KINDS
from lab.evaluation.labelled_rows import read_rows
from vta.ports import Guard


def measure_guard(file: Path, guard: Guard) -> dict[str, object]:
    """Recall on attacks and the share of harmless texts that are flagged; null where there are none.

    Rows are JSON Lines {text, malicious: true or false} or {text, kind}, where the guard's kinds are attacks.
    """
    flagged: dict[bool, list[bool]] = {True: [], False: []}
    for row in read_rows(file, ("text",)):
        attack = bool(row["malicious"]) if "malicious" in row else row.get("kind") in KINDS
        flagged[attack].append(guard.inspect(str(row["text"])).flag)
    return {
        "n": len(flagged[True]) + len(flagged[False]),
        "attacks": len(flagged[True]),
        "recall": _share(flagged[True]),
        "false_positives": _share(flagged[False]),
    }


def _share(flags: list[bool]) -> float | None:
    return round(sum(flags) / len(flags), 4) if flags else None
