"""Builds a course's graph from what was ingested, and keeps it until the next build."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from concept_graph.extraction.extraction import extract_concepts
from concept_graph.headings import ConceptSet
from concept_graph.prerequisites import discover
from concept_graph.prerequisites.signals import NameEncoder
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import DocumentStore, KnowledgeSource
from vta.types import Course, CourseDocument, QAPair, Source

BUILT_GRAPH = "/graph/built"
"""The path under which a built graph is stored; no document has it, as theirs are relative to a folder."""


def course_material(course: Course, documents: KnowledgeSource) -> list[QAPair]:
    """The passages of a course, in order."""
    return [pair for pair in documents.pairs(course.id) if pair.source is Source.MATERIAL]


def build_graph(
    course: Course,
    passages: Sequence[QAPair],
    documents: DocumentStore,
    *,
    seeds: Sequence[str] = (),
    encoder: NameEncoder | None = None,
) -> ConceptSet:
    """Find the concepts and edges of a course in its passages, and store them in place of the last build's.

    `encoder` tells which names are alike in meaning, and how common they are.
    `InvalidInput` where the course has no material, or no concept is found in it; the last build stays then.
    """
    if not passages:
        raise InvalidInput(Fault("course.no_material", course=course.id), field="COURSE")
    concepts = extract_concepts(passages, course=course, seeds=seeds)
    if not concepts:
        raise InvalidInput(Fault("course.no_concept_found", course=course.id), field="COURSE")
    edges = discover(passages, concepts, encoder=encoder)
    digest = hashlib.sha256(repr((concepts, edges)).encode()).hexdigest()
    built = CourseDocument(path=BUILT_GRAPH, sha256=digest, concepts=concepts, edges=edges)
    state = documents.states(course.id).get(BUILT_GRAPH)
    if state is None or state.sha256 != digest:
        documents.apply(course.id, put=[built])
    return concepts, edges
