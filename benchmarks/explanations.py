"""How well a definition is told from what only looks like one, and the weights of its features.

python -m benchmarks explanations ../shared/data --books BOOKS \\
    [--write]

`tests/data/explanations_judged.tsv` holds one reader's judgement of candidates of open courses: the course,
the name's key, the digest of the text, right or wrong. BOOKS are textbooks with glossaries (see
`concept_names.py`): there a candidate is right if it holds most words of the glossary's explanation, wrong
if it holds few, and left out in between. Each course is judged with weights that are fitted to the others,
candidate by candidate and as a graph: how many of its first 100 concepts are explained, and how many of
these explanations are right. `--write` writes the weights of all (`concept_graph/words/defining.toml`).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.concept_extraction import read_book
from benchmarks.fitting import fit_logistic, write_weights
from benchmarks.openstax import books_in, glossary_of, read_cnxml
from benchmarks.record import ROOT
from concept_graph.defining import SURE, DefiningText, features
from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.extraction import extract_concepts, find_explanations
from concept_graph.extraction.material import clean_passages
from vta.languages import Language
from vta.scoring import linear
from vta.text import stem
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

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
OF_A_BOOK, ROWS_OF_A_BOOK = 0.1, 300
"""How much a book's row weighs beside a judged one, and how many rows it stands for at most."""
LIKE_GLOSSARY, UNLIKE_GLOSSARY = 0.6, 0.1
"""Shares of the words of the glossary's explanation."""
FIRST = 100
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A candidate with its judgement; `rank` is the place of its concept in the graph."""

    course: str
    candidate: DefiningText
    right: bool
    rank: int = FIRST
    weight: float = 1.0


def read_judged() -> Mapping[tuple[str, str, str], bool]:
    """The judgements by course, key and digest."""
    rows = [line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:]]
    return {(course, key, digest): judgement == "right" for course, key, digest, judgement in rows}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def read_rows(data: Path) -> list[Row]:
    """The judged candidates that are still found, of the concepts that the shipped weights find."""
    judged = read_judged()
    rows = []
    for name, (folder, language) in COURSES.items():
        course = Course(id=CourseId(name), name=name, language=language, domains=(name,))
        passages = read_book(data / folder, course)
        concepts = extract_concepts(passages, course=course)
        names = {same_key(each.name): [each.name, *each.aliases] for each in concepts}
        rank = {key: n for n, key in enumerate(names)}
        for each in candidates(names, passages):
            right = judged.get((name, each.key, digest(each.text)))
            if right is not None:
                rows.append(Row(name, each, right, rank[each.key]))
        print(name, sum(row.course == name for row in rows), file=sys.stderr)
    return rows


def candidates(names: Mapping[str, Sequence[str]], passages: Iterable[QAPair]) -> Iterator[DefiningText]:
    found = (each for _, each in find_explanations(names, clean_passages(passages)))
    return (each for each in found if isinstance(each, DefiningText))


def read_book_rows(book: Path) -> list[Row]:
    """The candidates of the terms of a book's glossary that are surely like its explanation, or unlike it."""
    course = Course(id=CourseId(book.name), name=book.name, domains=("book",), language=Language.EN)
    passages, glossary = read_cnxml(book, course)
    forms, meanings = glossary_of(glossary)
    rows = []
    for each in candidates(forms, passages):
        own = _words(" ".join(forms[each.key]))
        wanted = _words(meanings[each.key]) - own
        share = len(wanted & _words(each.text)) / max(1, len(wanted))
        if len(wanted) > 1 and not UNLIKE_GLOSSARY < share < LIKE_GLOSSARY:
            rows.append(Row(book.name, each, share >= LIKE_GLOSSARY))
    weight = OF_A_BOOK * min(1.0, ROWS_OF_A_BOOK / max(1, len(rows)))
    print(book.name, len(rows), file=sys.stderr)
    return [Row(each.course, each.candidate, each.right, weight=weight) for each in rows]


def _words(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())} - COMMON


COMMON = frozenset(
    "and the for that which are was were with from its this these those who whose when where not can".split()
)


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """The weights of a logistic regression with a ridge on all but the bias."""
    features_of = [features(row.candidate) for row in rows]
    names = sorted({name for each in features_of for name in each})
    x = np.array([[each.get(name, 0.0) for name in names] for each in features_of])
    right, share = np.array([row.right for row in rows]), np.array([row.weight for row in rows])
    found = fit_logistic(x, right, share, ridge=RIDGE)
    return {name: round(float(weight), 3) for name, weight in zip(("bias", *names), found, strict=True)}


def measure(rows: Sequence[Row]) -> dict[str, dict[str, float | int]]:
    """Each course with the weights that the others give: AUC, what is taken at even odds, and as a graph."""
    found: dict[str, dict[str, float | int]] = {}
    for course in dict.fromkeys(row.course for row in rows):
        print(course, file=sys.stderr)
        weights = fit([row for row in rows if row.course != course])
        held = [(linear(weights, features(row.candidate)), row) for row in rows if row.course == course]
        found[course] = figures([(score, row.right) for score, row in held])
        if any(row.rank < FIRST for _, row in held):
            found[course] |= as_graph(held)
    return found


def as_graph(scored: Sequence[tuple[float, Row]]) -> dict[str, float | int]:
    """Of the first concepts: how many the best judged candidate explains, and the share that is right."""
    best: dict[str, tuple[float, bool]] = {}
    for score, row in scored:
        if row.rank < FIRST and score > best.get(row.candidate.key, (-np.inf, False))[0]:
            best[row.candidate.key] = score, row.right
    taken = [right for score, right in best.values() if score >= np.log(SURE / (1 - SURE))]
    return {"explained_of_first": len(taken), "right_of_explained": round(sum(taken) / max(1, len(taken)), 3)}


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


def run(data: Path, *, books: Path, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all courses."""
    rows = [*read_rows(data), *(row for book in books_in(books) for row in read_book_rows(book))]
    left_out = measure(rows)
    if write:
        weights = {name: weight for name, weight in fit(rows).items() if weight}
        write_weights(WEIGHTS, made_by="explanations", digits=3, weights=weights)
    return {"left_out": left_out}
