"""The concepts of a course as a teacher goes through them: those that are used most first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from concept_graph.paths import find_units
from services.storage.documents import DocumentSummary
from vta.ports import ConceptLinker
from vta.text import normalise
from vta.types import Concept, ConceptId, Course, QAPair


class ConceptOrder(StrEnum):
    """What comes first in the list of concepts."""

    USE = "use"
    SURE = "sure"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceCounts:
    """In how many passages each concept stands, and the files and names for which that was counted."""

    files: tuple[DocumentSummary, ...]
    names: Mapping[ConceptId, tuple[str, ...]]
    counts: Mapping[ConceptId, int]

    def hold(self, files: Sequence[DocumentSummary], names: Mapping[ConceptId, tuple[str, ...]]) -> bool:
        """Whether they need not be counted again: of the names, some may have gone."""
        return self.files == files and names.items() <= self.names.items()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptQuery:
    """Which concepts are listed, in which order; None stands for any. `unit` is a place in the units."""

    search: str = ""
    unit: int | None = None
    explained: bool | None = None
    decided: bool | None = None
    order: ConceptOrder = ConceptOrder.USE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedConcept:
    """A concept, in how many passages its names stand, and how often it was asked about lately."""

    concept: Concept
    places: int
    asked: int


class ConceptReview:
    """The concepts of one course with what is counted of each, made ready to be gone through."""

    def __init__(
        self, concepts: Sequence[Concept], *, places: Mapping[ConceptId, int], asked: Mapping[str, int]
    ) -> None:
        """`asked` counts by name; what a concept was called before is among its aliases."""
        self.units = find_units(concepts)
        self._unit = {each.id: n for n, unit in enumerate(self.units) for each in unit.concepts}
        self._concepts = [
            ReviewedConcept(
                concept=each,
                places=places.get(each.id, 0),
                asked=sum(asked.get(name, 0) for name in (each.name, *each.aliases)),
            )
            for each in concepts
        ]

    def listed(self, query: ConceptQuery) -> list[ReviewedConcept]:
        """Those to be listed; the search is in their names, aliases and explanations."""
        sought = normalise(query.search)
        found = [
            each
            for each in self._concepts
            if query.unit in (None, self._unit[each.concept.id])
            and query.explained in (None, bool(each.concept.definition))
            and query.decided in (None, each.concept.curated)
            and any(sought in normalise(text) for text in _texts(each.concept))
        ]
        return sorted(found, key=_ORDERS[query.order])


def count_places(
    passages: Iterable[QAPair], *, course: Course, linker: ConceptLinker
) -> Mapping[ConceptId, int]:
    """In how many of the passages each concept stands; takes about a second for 5,000 of them."""
    return Counter(
        mention.concept.id for passage in passages for mention in linker.link(passage.answer, course=course)
    )


def _texts(concept: Concept) -> tuple[str, ...]:
    return (concept.name, *concept.aliases, concept.definition)


_ORDERS: Mapping[ConceptOrder, Callable[[ReviewedConcept], tuple[object, ...]]] = {
    ConceptOrder.USE: lambda each: (-each.asked, -each.places, -each.concept.score, each.concept.name),
    ConceptOrder.SURE: lambda each: (-each.concept.score, each.concept.name),
    ConceptOrder.NAME: lambda each: (each.concept.name,),
}
