"""What is kept of a language model's proposals for the graph of a course: two documents that no file is."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from services.storage.document_rows import PROPOSED, SUPPORTED
from services.storage.documents import SqlDocuments
from vta.types import Concept, ConceptEdge, ConceptId, CourseDocument, CourseId


@dataclass(slots=True)
class ProposalBook:
    """The proposals of one course.

    `asked` are all concepts asked about, with the explanation that waits for a teacher or none. `supported`
    ones are known to the graph, which takes their explanation where it has no other.
    """

    asked: dict[ConceptId, Concept]
    edges: dict[tuple[ConceptId, ConceptId], ConceptEdge]
    supported: dict[ConceptId, Concept]

    def explain(self, concept: Concept, *, supported: bool) -> None:
        """Note a proposed explanation; a supported one only completes what the graph holds."""
        if supported:
            self.supported[concept.id] = replace(concept, curated=False, built=False)
        else:
            self.asked[concept.id] = concept

    def settle(self, concept: ConceptId, before: ConceptId | None = None) -> None:
        """Take out a concept's explanation, or the prerequisite `before`; the concept stays asked about."""
        if before is not None:
            self.edges.pop((before, concept), None)
            return
        self.supported.pop(concept, None)
        if concept in self.asked:
            self.asked[concept] = replace(self.asked[concept], definition="")

    def forget(self, concept: ConceptId) -> None:
        """Let the concept be asked about again."""
        self.supported.pop(concept, None)
        self.asked.pop(concept, None)


def read_book(documents: SqlDocuments, course_id: CourseId) -> ProposalBook:
    """The proposals of a course; none where none were made."""
    found = (documents.document(course_id, path) for path in (PROPOSED, SUPPORTED))
    return _book({each.path: each for each in found if each})


def change_book(documents: SqlDocuments, course_id: CourseId, change: Callable[[ProposalBook], None]) -> None:
    """Change the proposals of a course; no other writer comes between reading and writing them."""

    def rewritten(stored: Mapping[str, CourseDocument]) -> tuple[CourseDocument, ...]:
        book = _book(stored)
        change(book)
        return (
            _document(PROPOSED, tuple(book.asked.values()), tuple(book.edges.values())),
            _document(SUPPORTED, tuple(book.supported.values())),
        )

    documents.rewrite(course_id, (PROPOSED, SUPPORTED), rewritten)


def _book(stored: Mapping[str, CourseDocument]) -> ProposalBook:
    none = CourseDocument(path="", sha256="")
    proposed, supported = (stored.get(path, none) for path in (PROPOSED, SUPPORTED))
    return ProposalBook(
        asked={each.id: each for each in proposed.concepts},
        edges={(each.prerequisite, each.concept): each for each in proposed.edges},
        supported={each.id: each for each in supported.concepts},
    )


def _document(
    path: str, concepts: tuple[Concept, ...], edges: tuple[ConceptEdge, ...] = ()
) -> CourseDocument:
    digest = hashlib.sha256(repr((concepts, edges)).encode()).hexdigest()
    return CourseDocument(path=path, sha256=digest, concepts=concepts, edges=edges)
