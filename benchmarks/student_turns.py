"""The turns of ../shared/data/students, and what the benchmarks that read them share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lab.evaluation.rows import read_rows
from lab.measures.intervals import bootstrap_interval


def read_turns(data: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """All rows in their order, and what opened each conversation. `score` can be imported afterwards."""
    sys.path.append(str(data / "students"))
    files = [data / "students" / f"{name}.jsonl" for name in ("open", "open2")]
    turns = [row for file in files for row in read_rows(file, dict)]
    heads: dict[str, str] = {}
    for row in turns:
        heads.setdefault(row["conversation"], row["question"])
    return turns, heads


def interval(values: Sequence[float]) -> list[float]:
    """The mean with its 95 % bootstrap interval, rounded."""
    low, high = bootstrap_interval(list(values), seed=0)
    return [round(each, 3) for each in (float(np.mean(values)), low, high)]
