"""The concepts of a course in the order in which a teacher looks them over."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from concept_graph.headings import ConceptSet
from concept_graph.paths import own_place, teaching_order
from services.documents.store import DocumentSummary
from vta.ports import ConceptLinker
from vta.text import normalise
from vta.types.concepts import Concept
from vta.types.courses import ConceptId, Course
from vta.types.pairs import QAPair

FIRST = 50
"""Concepts on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCounts:
    """In how many passages each concept stands, and the files and names for which that was counted."""

    files: tuple[DocumentSummary, ...]
    names: Mapping[ConceptId, tuple[str, ...]]
    counts: Mapping[ConceptId, int]

    def hold(self, files: Sequence[DocumentSummary], names: Mapping[ConceptId, tuple[str, ...]]) -> bool:
        """Are the counts still right: the files the same, and no name new?"""
        return self.files == files and names.items() <= self.names.items()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedConcept:
    """A concept, in how many passages its names stand, and how often it was asked about lately.

    `prerequisites` are those that students see.
    """

    concept: Concept
    places: int
    asked: int
    prerequisites: tuple[Concept, ...]


def review_concepts(
    known: ConceptSet, *, places: Mapping[ConceptId, int], asked: Mapping[str, int], search: str
) -> list[ReviewedConcept]:
    """The concepts that have the search text in a name, alias or explanation, the most used first.

    Those that people asked about come first, then those that most passages name, then those taught first.
    `asked` counts by name; what a concept was called before is among its aliases.
    """
    concepts, edges = known
    named, before = {each.id: each for each in concepts}, defaultdict(list)
    for edge in edges:
        if edge.is_sure:
            before[edge.concept].append(named[edge.prerequisite])
    sought = normalise(search)
    found = [
        ReviewedConcept(
            concept=each,
            places=places.get(each.id, 0),
            asked=sum(asked.get(name, 0) for name in (each.name, *each.aliases)),
            prerequisites=tuple(before[each.id]),
        )
        for each in concepts
        if any(sought in normalise(text) for text in (each.name, *each.aliases, each.definition))
    ]
    return sorted(found, key=_most_used_first)


def _most_used_first(each: ReviewedConcept) -> tuple[object, ...]:
    return -each.asked, -each.places, teaching_order(each.concept, own_place(each.concept))


def count_places(
    passages: Iterable[QAPair], *, course: Course, linker: ConceptLinker
) -> Mapping[ConceptId, int]:
    """In how many of the passages each concept stands; takes about a second for 5,000 of them."""
    return Counter(
        mention.concept.id for passage in passages for mention in linker.link(passage.answer, course=course)
    )
