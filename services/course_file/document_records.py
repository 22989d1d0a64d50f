"""The lines of `documents.jsonl`: each document, and after it its pairs, concepts and edges."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from services.course_file.form import Ids, Record, Share, Text
from services.storage.document_rows import PROPOSED, SUPPORTED
from services.use_cases.graph_files import BUILT_GRAPH, IMPORTED_GRAPH, SEEDS
from vta.types import (
    Concept,
    ConceptEdge,
    CourseDocument,
    Locator,
    PairId,
    QAPair,
    Source,
)

_GRAPHS = (BUILT_GRAPH, IMPORTED_GRAPH, SEEDS, PROPOSED, SUPPORTED)
"""Paths of what no file holds."""
Address = Annotated[str, StringConstraints(pattern=r"^https?://")]
OwnPairId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{20}$")]
"""As readers of documents make them. Pairs of entries and concepts are called otherwise, and made anew."""


class LocatorRecord(Record):
    """Where a passage stands."""

    heading_path: tuple[str, ...] = ()
    page: int | None = None
    video: str | None = None
    start_s: float | None = None
    end_s: float | None = None


class PairRecord(Record):
    """A pair of the document before it."""

    id: OwnPairId
    source: Source
    question: str
    answer: str
    domains: tuple[str, ...] = ()
    document: str | None = None
    locator: LocatorRecord = LocatorRecord()
    url: Address | None = None
    similar_questions: tuple[str, ...] = ()
    negative_questions: tuple[str, ...] = ()
    off: bool = False

    @classmethod
    def of(cls, pair: QAPair, *, off: bool = False) -> Self:
        return cls.of_fields(pair, off=off)

    def pair(self, ids: Ids) -> QAPair:
        place = self.locator.fields_of(Locator)
        return self.fields_of(QAPair, id=ids.pair(self.id), course_id=ids.course, locator=place)


class ConceptRecord(Record):
    """A concept of the document before it; `key` is its id inside the course."""

    key: Text
    name: Text
    aliases: tuple[str, ...] = ()
    definition: str = ""
    domains: tuple[str, ...] = ()
    score: Share = 1.0
    curated: bool = False
    built: bool = False
    first_seen: str | None = None
    locator: LocatorRecord = LocatorRecord()
    document: str | None = None

    @classmethod
    def of(cls, concept: Concept, ids: Ids) -> Self:
        return cls.of_fields(concept, key=ids.key(concept.id))

    def concept(self, ids: Ids) -> Concept:
        place, courses = self.locator.fields_of(Locator), (ids.course,)
        return self.fields_of(Concept, id=ids.concept(self.key), courses=courses, locator=place)


class EdgeRecord(Record):
    """A prerequisite edge of the document before it, between keys of concepts.

    `judgement` stands in files of an earlier version, and is not read.
    """

    prerequisite: Text
    concept: Text
    score: Share = 1.0
    evidence: tuple[str, ...] = ()
    curated: bool = False
    judgement: Annotated[object, Field(exclude=True)] = None

    @classmethod
    def of(cls, edge: ConceptEdge, ids: Ids) -> Self:
        return cls.of_fields(edge, prerequisite=ids.key(edge.prerequisite), concept=ids.key(edge.concept))

    def edge(self, ids: Ids) -> ConceptEdge:
        before, after = ids.concept(self.prerequisite), ids.concept(self.concept)
        return self.fields_of(ConceptEdge, prerequisite=before, concept=after)


class DocumentRecord(Record):
    """A document; its pairs, concepts and edges follow it, a line each."""

    path: Text
    sha256: str
    folder: str = ""

    @model_validator(mode="after")
    def _inside(self) -> Self:
        outside = self.path.startswith("/") or ".." in PurePosixPath(self.path).parts
        if "\0" in self.path or (outside and self.path not in _GRAPHS):
            raise ValueError("the path leads out of the course")
        return self

    def document(
        self, *, pairs: list[QAPair], off: list[PairId], concepts: list[Concept], edges: list[ConceptEdge]
    ) -> CourseDocument:
        return CourseDocument(
            path=self.path,
            sha256=self.sha256,
            folder=self.folder,
            pairs=tuple(pairs),
            off=tuple(off),
            concepts=tuple(concepts),
            edges=tuple(edges),
        )


class DocumentLine(Record):
    """A line of `documents.jsonl`, which is one of the four."""

    document: DocumentRecord | None = None
    pair: PairRecord | None = None
    concept: ConceptRecord | None = None
    edge: EdgeRecord | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(part is not None for _, part in self) != 1:
            raise ValueError("a line holds one of document, pair, concept, edge")
        return self

    @property
    def kind(self) -> str:
        """Which of the four it is."""
        return next(name for name, part in self if part is not None)
