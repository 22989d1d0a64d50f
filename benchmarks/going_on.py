"""Fit and measure whether a later question goes on with the subject before it, each course held out in turn.

.venv/bin/python benchmarks/going_on.py HOME ../shared/data [--fit] [--json docs/runs/going_on.json]

HOME is a data folder with the courses of students/, their graphs built. Later turns of the conversations go
on; first questions after one of another conversation do not. `two` is the share of turns all of whose facts
stand in the first two passages that are searched for then: with the subject where it is held to go on, and
without it where not. `--fit` writes vta/dialogue/continuation.toml.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from student_turns import interval, read_options, read_turns

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.continuation import WEIGHTS, FollowUpFeatures, read_signs
from vta.text import Analyser
from vta.types.courses import CourseId

Floats = NDArray[np.float64]
NAMES = tuple(field.name for field in fields(FollowUpFeatures))
RIDGE = 1e-2


@dataclass(frozen=True)
class Row:
    course: str
    kind: str
    signs: FollowUpFeatures
    two: tuple[float, float]
    """Whether two passages hold all facts, without the subject and with it."""


def read_rows(home: Path, data: Path) -> list[Row]:
    """The later turns and changes of subject of all courses, with a fixed seed."""
    turns, heads = read_turns(data)
    platform = build_platform(Settings(home=home))
    draw, read, rows = random.Random(20261123), _Reader(platform), []
    openings: dict[str, list[dict[str, Any]]] = {}
    for row in turns:
        if row["turn"] == 0 and row["answerable"] is True:
            openings.setdefault(row["course"], []).append(row)
    for row in turns:
        if row["turn"] > 0 and row["answerable"] is True:
            rows.append(read(row, heads[row["conversation"]], "later"))
    for firsts in openings.values():
        for row in firsts:
            other = draw.choice([each for each in firsts if each is not row])
            rows.append(read(row, other["question"], "change"))
    platform.close()
    return rows


class _Reader:
    """Reads one row after the question that opened the subject before."""

    def __init__(self, platform: Platform) -> None:
        self._platform, self._knowledge, self._analyser = platform, platform.knowledge.current(), Analyser()

    def __call__(self, row: dict[str, Any], head: str, kind: str) -> Row:
        course = self._platform.stores.courses.course(CourseId(row["course"]))
        question, carried = row["question"], f"{head} {row['question']}"
        signs = read_signs(
            question, carried, course=course, knowledge=self._knowledge, analyser=self._analyser
        )
        return Row(row["course"], kind, signs, (self._holds(row, question), self._holds(row, carried)))

    def _holds(self, row: dict[str, Any], text: str) -> float:
        import score  # beside the data

        course = self._platform.stores.courses.course(CourseId(row["course"]))
        mentions = self._knowledge.linker.link(text, course=course)
        found = self._knowledge.ranker.rank(text, course=course, mentions=mentions, chit_chat=0.0, top=2)
        said = score.norm("\n".join(f"{c.pair.question}\n{c.pair.answer}" for c in found.candidates))
        return float(all(any(score.found(p, said) for p in fact) for fact in row["must"]))


def fit(rows: list[Row]) -> Floats:
    """Bias and weights; both kinds count alike."""
    x = np.array([[1.0, *astuple(row.signs)] for row in rows])
    y = np.array([1.0 if row.kind == "later" else -1.0 for row in rows])
    count = {kind: sum(row.kind == kind for row in rows) for kind in ("later", "change")}
    weight = np.array([1 / count[row.kind] for row in rows])

    def loss(w: Floats) -> float:
        return float(weight @ np.logaddexp(0.0, -y * (x @ w)) + RIDGE * w[1:] @ w[1:])

    return np.asarray(minimize(loss, np.zeros(x.shape[1])).x)


def measure(rows: list[Row], scores: Floats) -> dict[str, Any]:
    """By kind: the share that is told rightly, and what two passages hold, beside each query alone."""
    found: dict[str, Any] = {}
    for kind in ("later", "change"):
        of = [(row, float(s)) for row, s in zip(rows, scores, strict=True) if row.kind == kind]
        right = [float((s > 0) == (kind == "later")) for _, s in of]
        found[kind] = {"n": len(of), "told": interval(right)}
        found[kind]["two"] = interval([row.two[s > 0] for row, s in of])
        found[kind]["two_without"] = interval([row.two[0] for row, _ in of])
        found[kind]["two_with"] = interval([row.two[1] for row, _ in of])
    return found


def main() -> None:
    options = read_options(__doc__)
    rows = read_rows(options.home, options.data)
    x = np.array([[1.0, *astuple(row.signs)] for row in rows])
    left_out = np.zeros(len(rows))
    for course in {row.course for row in rows}:
        out = np.array([row.course == course for row in rows])
        left_out[out] = x[out] @ fit([row for row in rows if row.course != course])
    w = fit(rows)
    found = {
        "command": "benchmarks/going_on.py HOME ../shared/data --fit",
        "left_out": measure(rows, left_out),
        "known": measure(rows, x @ w),
        "without": {name: measure(rows, _without(rows, n + 1)) for n, name in enumerate(NAMES)},
    }
    text = json.dumps(found, indent=1)
    sys.stdout.write(text + "\n")
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.fit:
        lines = "".join(f"{name} = {value:.4f}\n" for name, value in zip(("bias", *NAMES), w, strict=True))
        place = Path(__file__).parents[1] / "vta" / "dialogue" / WEIGHTS
        place.write_text(f"# Made by benchmarks/going_on.py --fit\n{lines}", encoding="utf-8")


def _without(rows: list[Row], column: int) -> Floats:
    """The scores of left-out courses where one sign is taken out."""
    x = np.array([[1.0, *astuple(row.signs)] for row in rows])
    x[:, column] = 0.0
    kept = [
        Row(
            row.course,
            row.kind,
            FollowUpFeatures(**dict(zip(NAMES, values[1:].tolist(), strict=True))),
            row.two,
        )
        for row, values in zip(rows, x, strict=True)
    ]
    scores = np.zeros(len(rows))
    for course in {row.course for row in rows}:
        out = np.array([row.course == course for row in rows])
        scores[out] = x[out] @ fit([row for row in kept if row.course != course])
    return scores


if __name__ == "__main__":
    main()
