"""The readers of course files, one a kind; the first that handles a name reads it."""

from __future__ import annotations

from concept_graph.concept_file import ConceptFileReader
from concept_graph.headings import ConceptSet, heading_concepts
from knowledge.sources.readers import FaqReader, MaterialReader
from vta.ports import DocumentReader
from vta.types.courses import Course
from vta.types.documents import SourceDocument


def build_readers() -> tuple[DocumentReader, ...]:
    """The readers themselves, which read in the process that calls them."""
    return (
        ConceptFileReader(),
        MaterialReader(_concepts_of_headings),
        FaqReader(),
    )


def _concepts_of_headings(document: SourceDocument, course: Course) -> ConceptSet:
    return heading_concepts([document], course=course)
