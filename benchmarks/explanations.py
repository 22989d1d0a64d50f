"""How well a definition is told from what only looks like one, and the weights of its signs.

.venv/bin/python benchmarks/explanations.py ../shared/data [--out docs/runs/explanations.json] [--fit]

`tests/data/explanations_judged.tsv` holds one reader's judgement of candidates of open courses: the course,
the name's key, the digest of the text, right or wrong. Each course is judged with weights that are fitted to
the others; `--fit` writes those fitted to all (`concept_graph/words/defining.toml`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from concept_extraction import read_book
from numpy.typing import NDArray
from scipy.optimize import minimize

from concept_graph.defining import Candidate, signs
from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.cleaning import clean_passages
from concept_graph.extraction.explanations import find_candidates
from concept_graph.extraction.extraction import extract_concepts
from vta.types import Course, CourseId, Language, QAPair

ROOT = Path(__file__).parents[1]
JUDGED = ROOT / "tests" / "data" / "explanations_judged.tsv"
WEIGHTS = ROOT / "concept_graph" / "words" / "defining.toml"
COURSES = {
    "econ": ("students/econ_material", Language.EN),
    "eval": ("students/eval_material", Language.EN),
    "acct": ("students/acct_material", Language.ZH),
    "muli": ("students/muli_material", Language.ZH),
    "d2l": ("students/d2l_material", Language.EN),
    "hello_algo_en": ("hello_algo/en", Language.EN),
    "hello_algo_zh": ("hello_algo/zh", Language.ZH),
    "zoomcamp": ("fresh/zoomcamp/material", Language.EN),
}
RIDGE = 2.0
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A candidate with its judgement."""

    course: str
    candidate: Candidate
    right: bool


def read_judged() -> Mapping[tuple[str, str, str], bool]:
    """The judgements by course, key and digest."""
    rows = [line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:]]
    return {(course, key, digest): judgement == "right" for course, key, digest, judgement in rows}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def candidates(passages: Sequence[QAPair], course: Course) -> Iterator[Candidate]:
    """All candidates of the concepts that the shipped weights find."""
    concepts = extract_concepts(passages, course=course)
    names = {same_key(each.name): [each.name, *each.aliases] for each in concepts}
    for _, each in find_candidates(names, clean_passages(passages)):
        if isinstance(each, Candidate):
            yield each


def read_rows(data: Path) -> list[Row]:
    """The judged candidates that are still found."""
    judged = read_judged()
    rows = []
    for name, (folder, language) in COURSES.items():
        course = Course(id=CourseId(name), name=name, language=language, domains=(name,))
        for each in candidates(read_book(data / folder, course), course):
            right = judged.get((name, each.key, digest(each.text)))
            if right is not None:
                rows.append(Row(name, each, right))
        print(name, sum(row.course == name for row in rows), file=sys.stderr)
    return rows


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The weights of a logistic regression with a ridge on all but the bias; each course weighs the same."""
    names = sorted({name for row in rows for name in signs(row.candidate)})
    columns = np.array([[signs(row.candidate).get(name, 0.0) for name in names] for row in rows])
    signed = np.array([1.0 if row.right else -1.0 for row in rows])
    ridge = np.array([RIDGE * (name != "bias") for name in names])

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = signed * (columns @ weights)
        slope = -(columns.T @ (signed / (1 + np.exp(margin)))) + ridge * weights
        return float(np.logaddexp(0, -margin).sum() + ridge @ weights**2 / 2), slope

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B")
    return {name: round(float(weight), 3) for name, weight in zip(names, found.x, strict=True)}


def log_odds(weights: Mapping[str, float], candidate: Candidate) -> float:
    return sum(weights.get(name, 0.0) * size for name, size in signs(candidate).items())


def measure(rows: Sequence[Row]) -> dict[str, object]:
    """Each course with the weights that the others give: AUC, and what is taken at even odds."""
    found: dict[str, object] = {}
    for course in dict.fromkeys(row.course for row in rows):
        weights = fit([row for row in rows if row.course != course])
        held = [(log_odds(weights, row.candidate), row.right) for row in rows if row.course == course]
        found[course] = figures(held)
    return found


def figures(scored: Sequence[tuple[float, bool]]) -> dict[str, float | int]:
    right = [score for score, is_right in scored if is_right]
    wrong = [score for score, is_right in scored if not is_right]
    above = np.mean([[(a > b) + (a == b) / 2 for b in wrong] for a in right])
    taken = [is_right for score, is_right in scored if score >= 0]
    return {
        "judged": len(scored),
        "right": len(right),
        "auc": round(float(above), 3),
        "taken": len(taken),
        "right_of_taken": round(sum(taken) / max(1, len(taken)), 3),
        "taken_of_right": round(sum(taken) / max(1, len(right)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--fit", action="store_true", help="write the weights fitted to all courses")
    wanted = parser.parse_args()
    rows = read_rows(wanted.data)
    record = {"command": "python benchmarks/explanations.py DATA", "left_out": measure(rows)}
    text = json.dumps(record, indent=2) + "\n"
    if wanted.out:
        wanted.out.write_text(text, encoding="utf-8")
    if wanted.fit:
        lines = [f"{name} = {weight}" for name, weight in fit(rows).items() if weight]
        WEIGHTS.write_text(
            "\n".join(["# Made by benchmarks/explanations.py --fit", *lines, ""]), encoding="utf-8"
        )
    print(text, end="")


if __name__ == "__main__":
    main()
