"""How well a definition is told from what only looks like one.

python -m benchmarks explanations ../shared/data

`tests/data/explanations_judged.tsv` holds one reader's judgement of candidates of open courses: the course,
the name's key, the digest of the text, right or wrong. Each course is measured candidate by candidate and as
a graph: how many of its first 100 concepts are explained, and how many of these explanations are right.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT
from concept_graph.defining import DefiningText, probability
from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.extraction import extract_concepts, find_explanations
from concept_graph.extraction.material import clean_passages
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.languages import Language
from vta.types.courses import Course, CourseId
from vta.types.pairs import QAPair

JUDGED = ROOT / "tests" / "data" / "explanations_judged.tsv"
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
FIRST = 100


@dataclass(frozen=True)
class Row:
    """A candidate with its judgement; `is_shown`: one of the first concepts has it as its definition."""

    course: str
    candidate: DefiningText
    right: bool
    is_shown: bool


def read_book(folder: Path, course: Course, suffixes: Sequence[str] = (".md",)) -> list[QAPair]:
    """The passages of all pages in order; pages that are not taken in are left out."""
    readers = build_readers()
    passages: list[QAPair] = []
    for file in sorted(each for each in folder.rglob("*") if each.suffix in suffixes):
        path = file.relative_to(folder).as_posix()
        reader = next(each for each in readers if each.handles(path))
        try:
            with file.open("rb") as opened:
                passages.extend(reader.read(opened, path=path, course=course).pairs)
        except InvalidInput:
            continue
    return passages


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
        shown = {same_key(each.name): each.definition for each in concepts[:FIRST]}
        for each in candidates(names, passages):
            right = judged.get((name, each.key, digest(each.text)))
            if right is not None:
                rows.append(Row(name, each, right, each.text == shown.get(each.key)))
        print(name, sum(row.course == name for row in rows), file=sys.stderr)
    return rows


def candidates(names: Mapping[str, Sequence[str]], passages: Iterable[QAPair]) -> Iterator[DefiningText]:
    found = (each for _, each in find_explanations(names, clean_passages(passages)))
    return (each for each in found if isinstance(each, DefiningText))


def as_graph(rows: Sequence[Row]) -> dict[str, float | int]:
    """Of the first concepts: how many show a judged explanation, and the share that is right."""
    shown = {row.candidate.key: row.right for row in rows if row.is_shown}
    right = sum(shown.values())
    return {"explained_of_first": len(shown), "right_of_explained": round(right / max(1, len(shown)), 3)}


def figures(rows: Sequence[Row]) -> dict[str, float | int]:
    """The judged candidates that are taken; `taken_of_right` is of those right with a plain form."""
    right = sum(row.right for row in rows)
    taken = [row.right for row in rows if probability(row.candidate)]
    return {
        "taken": len(taken),
        "right_of_taken": round(sum(taken) / max(1, len(taken)), 3),
        "taken_of_right": round(sum(taken) / max(1, right), 3),
    }


def run(data: Path) -> dict[str, Any]:
    """The figures of each course."""
    by_course: dict[str, list[Row]] = {}
    for row in read_rows(data):
        by_course.setdefault(row.course, []).append(row)
    return {"courses": {name: figures(rows) | as_graph(rows) for name, rows in by_course.items()}}
