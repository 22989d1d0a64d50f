"""How well terms of a course are told from other phrases, and the weights that tell them.

python -m benchmarks concept_names BOOKS ../shared/data \\
    [--write]

BOOKS holds checkouts of OpenStax textbooks (github.com/openstax/osbooks-NAME, a commit under CC BY 4.0):
their own glossaries say what their terms are; each is read once with its terms in bold and once without.
Of the open courses of the second folder one reader judged the first 260 names of each
(`tests/data/names_judged.tsv`). Each course is scored with the weights that the others give; `--write` writes
those of all (`concept_graph/words/naming.toml`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.explanations import COURSES, read_book
from benchmarks.fitting import fit_logistic, write_weights
from benchmarks.openstax import books_in, names_of, read_cnxml
from benchmarks.record import ROOT
from concept_graph.extraction.aliases import find_defined_names, same_key
from concept_graph.extraction.candidates import find_candidates
from concept_graph.extraction.extraction import explain, is_term
from concept_graph.extraction.features import COLUMNS, EXPLAINED, design, measure
from concept_graph.extraction.material import clean_passages, find_seeds, read_material
from lab.measures.metrics import roc_auc
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.pairs import Locator, QAPair

JUDGED = ROOT / "tests" / "data" / "names_judged.tsv"
WEIGHTS = ROOT / "concept_graph" / "words" / "naming.toml"
RIDGE, OF_A_BOOK, OF_A_COURSE = 1.0, 4000.0, 10000.0
"""How many rows a book and a judged course stand for: the latter are like the courses that are built."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """The labelled candidates of one course; `terms` are how many it has in all."""

    course: str
    keys: Sequence[str]
    columns: Floats
    right: NDArray[np.bool_]
    terms: int
    weight: float


def rows_of(passages: Sequence[QAPair], course: str, weight: float, right: dict[str, bool]) -> Rows:
    """The candidates with a label: those that were judged, and all in a book that may be terms."""
    texts = list(clean_passages(passages))
    material = read_material(texts)
    seeds = find_seeds(material, find_defined_names(text for _, text in texts), ())
    counted = find_candidates(material, seeds)
    every = list(counted.candidates.values())
    kinds = [seeds.get(each.words, set()) for each in every]
    han = np.array([each.han for each in every], dtype=bool)
    columns = design(measure(counted, material, seeds), kinds, han)
    keys = [same_key(each.name) for each in every]
    names: dict[str, list[str]] = {}
    for key, each, set_apart in zip(keys, every, kinds, strict=True):
        if is_term(each, set_apart, material):
            names.setdefault(key, []).append(each.name)
    explanations = explain(names, texts)
    explained = np.array([key in explanations and bool(explanations[key].text) for key in keys])
    is_book = weight < OF_A_COURSE / 5
    named = keys if is_book else [each.name for each in every]
    at = [n for n, key in enumerate(keys) if (is_book and key in names) or named[n] in right]
    return Rows(
        course, [keys[n] for n in at], np.column_stack([columns, explained])[at],
        np.array([right.get(named[n], False) for n in at]), sum(right.values()), weight,
    )  # fmt: skip


def read_books(folder: Path) -> Iterator[Rows]:
    for book in books_in(folder):
        course = Course(id=CourseId(book.name), name=book.name, domains=("book",), language=Language.EN)
        passages, glossary = read_cnxml(book, course)
        right = {same_key(name): True for term in glossary for name in names_of(term)}
        print(book.name, len(passages), file=sys.stderr)
        for name, texts in versions(passages):
            yield rows_of(texts, f"{book.name}{name}", OF_A_BOOK / 3, right)


def versions(passages: Sequence[QAPair]) -> Iterator[tuple[str, list[QAPair]]]:
    """A course as it is, without bold, and without headings either, as speech has none."""
    bare = [replace(each, answer=each.answer.replace("**", "")) for each in passages]
    yield "", bare
    yield ", terms in bold", list(passages)
    yield ", no headings", [replace(each, question=each.document or "", locator=Locator()) for each in bare]


def read_courses(data: Path) -> Iterator[Rows]:
    judged = [line.split("\t") for line in JUDGED.read_text(encoding="utf-8").splitlines()[1:]]
    for name in dict.fromkeys(row[0] for row in judged):
        folder, language = COURSES[name]
        course = Course(id=CourseId(name), name=name, domains=(name,), language=language)
        right = {term: judgement == "right" for of, term, judgement in judged if of == name}
        print(name, file=sys.stderr)
        passages = read_book(data / folder, course)
        yield rows_of(passages, name, OF_A_COURSE, right)
        (last, texts) = list(versions(passages))[-1]
        yield rows_of(texts, f"{name}{last}", OF_A_COURSE / 5, right)


def fit(rows: Sequence[Rows]) -> Floats:
    """The weights of a logistic regression with a ridge on all but the bias."""
    share = [np.full(len(each.right), each.weight / len(each.right)) for each in rows]
    x, right = (np.concatenate(each) for each in ([r.columns for r in rows], [r.right for r in rows]))
    return fit_logistic(x, right, np.concatenate(share), ridge=RIDGE)


def figures(rows: Rows, weights: Floats) -> dict[str, float]:
    """AUC of the labelled rows; of the first 100 and 500 names the share that is right; recall in 1,000."""
    log_odds = rows.columns @ weights[1:] + weights[0]
    ranked: dict[str, bool] = {}
    for n in np.argsort(-log_odds, kind="stable"):
        ranked.setdefault(rows.keys[n], bool(rows.right[n]))
    first = list(ranked.values())
    return {
        "auc": round(roc_auc(rows.right, log_odds) or 0.0, 3),
        "right_of_100": round(sum(first[:100]) / 100, 3),
        **({"right_of_500": round(sum(first[:500]) / 500, 3)} if len(first) >= 500 else {}),
        "recall_at_1000": round(sum(first[:1000]) / rows.terms, 3),
    }


def run(books: Path, data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all."""
    rows = [*read_books(books), *read_courses(data)]
    found = {
        each.course: figures(each, fit([other for other in rows if _book(other) != _book(each)]))
        for each in rows
    }
    if write:
        weights = dict(zip(("bias", *COLUMNS, EXPLAINED), fit(rows), strict=True))
        write_weights(WEIGHTS, made_by="concept_names", digits=3, weights=weights)
    return {"left_out": found}


def _book(rows: Rows) -> str:
    return rows.course.partition(",")[0]
