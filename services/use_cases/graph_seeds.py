"""The seeds of a course: names that its syllabus or learning objectives hold, kept for every build."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO

from concept_graph.names import concept_id
from concept_graph.syllabus import occurring, read_terms
from services.storage.documents import SqlDocuments
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import DocumentReader
from vta.types import Concept, Course, CourseDocument, QAPair

SEEDS = "/graph/seeds"
"""The path under which the seeds of a course are stored; no document of a folder begins so."""
LARGEST_SYLLABUS = 10_000_000
"""Bytes."""
_PLAIN = frozenset({"", ".txt", ".md", ".csv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SyllabusTerm:
    """A term of a syllabus, and whether the course's material holds it."""

    name: str
    occurs: bool


def read_syllabus(
    file: BinaryIO,
    *,
    name: str,
    course: Course,
    readers: Sequence[DocumentReader],
    each_line: bool = False,
) -> tuple[str, ...]:
    """The terms of a file of any kind that can be ingested; `InvalidInput` for any other, and for none.

    `each_line`: each line is one term, whole.
    """
    if PurePosixPath(name).suffix.lower() in _PLAIN:
        text = _plain_text(file, name)
    else:
        reader = next((each for each in readers if each.handles(name)), None)
        if reader is None:
            raise InvalidInput(Fault("graph.syllabus_kind", name=name), path=name)
        pairs = reader.read(file, path=name, course=course).pairs
        text = "\n".join(line for pair in pairs for line in (*pair.locator.heading_path, pair.answer))
    terms = read_terms(text, each_line=each_line)
    if not terms:
        raise InvalidInput(Fault("graph.no_term", name=name), path=name)
    return terms


def compare_terms(terms: Iterable[str], passages: Iterable[QAPair]) -> tuple[SyllabusTerm, ...]:
    """The terms in their order, with those marked that the passages hold."""
    names = tuple(terms)
    there = occurring(names, (text for pair in passages for text in (pair.question, pair.answer)))
    return tuple(SyllabusTerm(name=name, occurs=name in there) for name in names)


def read_seeds(course: Course, documents: SqlDocuments) -> tuple[str, ...]:
    """The seeds of a course, in their order."""
    kept = documents.document(course.id, SEEDS)
    return tuple(concept.name for concept in kept.concepts) if kept else ()


def store_seeds(course: Course, names: Iterable[str], documents: SqlDocuments) -> None:
    """Keep these in place of the last ones; none removes them.

    They are concepts of the course until a graph is built, which then holds those that the material names.
    """
    concepts = {
        (id_ := concept_id(course.id, name)): Concept(
            id=id_, name=name, domains=course.domains, courses=(course.id,)
        )
        for name in names
    }
    if not concepts:
        documents.apply(course.id, put=[], remove=[SEEDS])
        return
    digest = hashlib.sha256(repr(tuple(concepts)).encode()).hexdigest()
    kept = CourseDocument(path=SEEDS, sha256=digest, concepts=tuple(concepts.values()))
    documents.apply(course.id, put=[kept])


def _plain_text(file: BinaryIO, name: str) -> str:
    content = file.read(LARGEST_SYLLABUS + 1)
    if len(content) > LARGEST_SYLLABUS:
        raise InvalidInput(Fault("data.too_large", path=name, most=LARGEST_SYLLABUS), path=name)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("data.not_utf8_text", file=name), path=name) from error
