"""How many of the prerequisites that students see are right, and the weights by which edges are scored.

python -m benchmarks shown_edges ../shared/data [--write]

`tests/data/edges_shown_judged.tsv` holds one reader's judgement of edges of open courses: right where who
learns the second must know the first, and the course teaches both. Each course is scored with weights that
are fitted to the others; `--write` writes those fitted to all (`concept_graph/words/prerequisites.toml`).
Shown are edges of at least `vta.types.concepts.SURE`; "explained" are those whose prerequisite has a
definition.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.explanations import COURSES, read_book
from benchmarks.fitting import fit_logistic, write_weights
from benchmarks.record import ROOT
from concept_graph.extraction.extraction import extract_concepts
from concept_graph.prerequisites.discovery import Candidates, choose_edges, find_candidates, find_taught
from concept_graph.prerequisites.occurrences import Occurrences, TokenText, read
from lab.measures.metrics import roc_auc
from vta.scoring import linear
from vta.types.concepts import SURE, Concept
from vta.types.courses import Course, CourseId

JUDGED = ROOT / "tests" / "data" / "edges_shown_judged.tsv"
WEIGHTS = ROOT / "concept_graph" / "words" / "prerequisites.toml"
RIDGE, RIGHT = 1.0, 0.93
"""`RIGHT` is the share of right edges, of courses left out, that a score of `SURE` and more stands for."""
Floats = NDArray[np.float64]
Weights = dict[str, float]
Ends = tuple[str, str]


@dataclass(frozen=True)
class Read:
    """A course with its concepts and candidates; `rows` are the numbers of the judged candidates."""

    name: str
    text: TokenText
    concepts: Sequence[Concept]
    found: Sequence[Occurrences]
    candidates: Candidates
    judged: Mapping[Ends, bool]
    rows: Sequence[int]
    right: NDArray[np.bool_]


def read_judged(course: str) -> dict[Ends, bool]:
    """The judgements of a course by the names of prerequisite and concept."""
    rows = [line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:]]
    return {(a, b): right == "1" for name, a, b, right, *_ in rows if name == course}


def read_course(data: Path, name: str) -> Read:
    folder, language = COURSES[name]
    course = Course(id=CourseId(name), name=name, language=language, domains=(name,))
    passages = read_book(data / folder, course)
    text, judged = read(passages), read_judged(folder)
    concepts, found = find_taught(text, extract_concepts(passages, course=course))
    candidates = find_candidates(text, concepts, found)
    ends = [
        (concepts[a].name, concepts[b].name) for a, b in zip(candidates.before, candidates.after, strict=True)
    ]
    rows = [n for n, each in enumerate(ends) if each in judged]
    print(name, len(ends), len(rows), file=sys.stderr)
    right = np.array([judged[ends[n]] for n in rows], dtype=bool)
    return Read(folder, text, concepts, found, candidates, judged, rows, right)


def fit(courses: Sequence[Read]) -> Weights:
    """The weights of a logistic regression with a ridge on all but the bias."""
    names = list(courses[0].candidates.features)
    x = np.concatenate([_columns(each, names)[each.rows] for each in courses])
    right = np.concatenate([each.right for each in courses])
    found = fit_logistic(x, right, np.ones(len(x)), ridge=RIDGE)
    return dict(zip(("bias", *names), found.tolist(), strict=True))


def _columns(course: Read, names: Sequence[str]) -> Floats:
    return np.stack([np.asarray(course.candidates.features[name]) for name in names], axis=1)


def left_out(courses: Sequence[Read]) -> list[Weights]:
    """The weights for each course, fitted to the others, with the bias that `RIGHT` asks for."""
    fitted = [fit([other for other in courses if other is not each]) for each in courses]
    rise = _rise(courses, fitted)
    return [{**weights, "bias": weights["bias"] + rise} for weights in fitted]


def _rise(courses: Sequence[Read], fitted: Sequence[Weights]) -> float:
    """What raises the log odds from which on `RIGHT` of the judged are right to those of `SURE`."""
    odds = np.concatenate([_odds(each, weights) for each, weights in zip(courses, fitted, strict=True)])
    right = np.concatenate([each.right for each in courses])[np.argsort(-odds)]
    shares = np.cumsum(right) / np.arange(1, len(right) + 1)
    lowest = np.sort(odds)[::-1][np.flatnonzero(shares >= RIGHT).max()]
    return float(np.log(SURE / (1 - SURE)) - lowest)


def _odds(course: Read, weights: Weights) -> Floats:
    return linear(weights, course.candidates.features)[course.rows]


def measure(course: Read, weights: Weights) -> dict[str, object]:
    """AUC among the judged, and how many edges are built, shown and right of those that were read."""
    probable = course.candidates.probabilities(weights)
    edges = choose_edges(course.text, course.concepts, course.found, course.candidates, probable)
    by_id = {each.id: each for each in course.concepts}
    shown = [(by_id[e.prerequisite], by_id[e.concept]) for e in edges if e.is_sure]
    explained = [pair for pair in shown if pair[0].definition]
    return {
        "auc": round(roc_auc(course.right, probable[course.rows]) or 0.0, 3),
        "edges": len(edges),
        "shown": _right(course, shown),
        "shown_explained": _right(course, explained),
        "unread": [[a.name, b.name] for a, b in shown if (a.name, b.name) not in course.judged],
    }


def _right(course: Read, pairs: Sequence[tuple[Concept, Concept]]) -> dict[str, int]:
    known = [course.judged.get((a.name, b.name)) for a, b in pairs]
    return {"edges": len(pairs), "read": len(known) - known.count(None), "right": known.count(True)}


def run(data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all courses."""
    courses = [read_course(data, name) for name in COURSES]
    every = [fit([other for other in courses if other is not each]) for each in courses]
    shipped = fit(courses)
    shipped["bias"] += _rise(courses, every)
    if write:
        write_weights(WEIGHTS, made_by="shown_edges", digits=3, weights=shipped)
    return {
        "judged": sum(len(each.rows) for each in courses),
        "left_out": {
            each.name: measure(each, weights)
            for each, weights in zip(courses, left_out(courses), strict=True)
        },
        "shipped": {each.name: measure(each, shipped) for each in courses},
    }
