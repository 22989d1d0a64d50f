"""Concepts of the graph as QA pairs (concept, explanation)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vta.types import Concept, PairId, QAPair, Source


def concept_pairs(concepts: Iterable[Concept]) -> Iterator[QAPair]:
    """One pair for each course of each concept that has an explanation; its aliases ask for it too."""
    for concept in concepts:
        for course_id in concept.courses if concept.definition else ():
            yield QAPair(
                id=PairId(f"{concept.id}@{course_id}"),
                course_id=course_id,
                source=Source.CONCEPT,
                question=concept.name,
                answer=concept.definition,
                domains=concept.domains,
                document=concept.document,
                locator=concept.locator,
                similar_questions=concept.aliases,
            )
