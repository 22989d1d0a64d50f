"""The readers of course files, one a kind; the first that handles a name reads it."""

from __future__ import annotations

from concept_graph.concept_file import ConceptFileReader
from concept_graph.headings import heading_concepts
from knowledge.sources.readers import FaqReader, MaterialReader
from vta.ports import DocumentReader


def build_readers() -> tuple[DocumentReader, ...]:
    """The readers themselves, which read in the process that calls them."""
    return (
        ConceptFileReader(),
        MaterialReader(lambda document, course: heading_concepts([document], course=course)),
        FaqReader(),
    )
