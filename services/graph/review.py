"""Concepts and edges of a course's graph as they are reviewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from concept_graph.paths import Unit, find_units
from concept_graph.picture import draw_unit
from services.documents.store import DocumentSummary
from vta.languages import Language
from vta.ports import ConceptLinker
from vta.text import normalise
from vta.types.concepts import SURE, Concept, ConceptEdge, RecordedEdit, UnlinkConcepts
from vta.types.courses import ConceptId, Course
from vta.types.pairs import QAPair


class Show(StrEnum):
    """Which prerequisites are listed."""

    UNDECIDED = "undecided"
    ALL = "all"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A prerequisite with both concepts and the unit of the later one; `edge` is None for a rejected one."""

    prerequisite: Concept
    concept: Concept
    unit: int
    edge: ConceptEdge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSummary:
    """How many prerequisites lead to the concepts of a unit, how many students see, how many are open."""

    unit: Unit
    edges: int
    sure: int
    undecided: int


class EdgeReview:
    """The prerequisites of one course and those that people removed, listed for review."""

    def __init__(
        self, concepts: Sequence[Concept], edges: Sequence[ConceptEdge], edits: Iterable[RecordedEdit]
    ) -> None:
        self.units = find_units(concepts)
        self.edges = edges
        self._concepts = {concept.id: concept for concept in concepts}
        self._unit = {each.id: n for n, unit in enumerate(self.units) for each in unit.concepts}
        self._removed = [each.edit for each in edits if isinstance(each.edit, UnlinkConcepts)]

    def listed(self, show: Show, *, unit: int | None = None, search: str = "") -> list[Reviewed]:
        """The chosen prerequisites, nearest to the threshold `SURE` first, those that a person decided last.

        `unit` is a place in `units`, and `search` is found in the name of either concept.
        """
        if show is Show.REJECTED:
            found = self._rejected()
        else:
            chosen = [each for each in self.edges if show is Show.ALL or not each.curated]
            found = [self._reviewed(each) for each in sorted(chosen, key=_unsure_first)]
        sought = normalise(search)
        return [
            each
            for each in found
            if unit in (None, each.unit)
            and any(sought in normalise(end.name) for end in (each.prerequisite, each.concept))
        ]

    def picture(self, unit: int, language: Language) -> str | None:
        """The prerequisites of a unit's concepts as SVG; None where there are none, or no such unit."""
        if not 0 <= unit < len(self.units):
            return None
        return draw_unit(self.units[unit], self.edges, self._concepts, language)

    def summaries(self) -> list[UnitSummary]:
        """The units with the numbers of their prerequisites and of the undecided ones."""
        into: list[list[ConceptEdge]] = [[] for _ in self.units]
        for edge in self.edges:
            into[self._unit[edge.concept]].append(edge)
        return [
            UnitSummary(
                unit=unit,
                edges=len(edges),
                sure=sum(edge.is_sure for edge in edges),
                undecided=sum(not edge.curated for edge in edges),
            )
            for unit, edges in zip(self.units, into, strict=True)
        ]

    def _reviewed(self, edge: ConceptEdge) -> Reviewed:
        before, after = self._concepts[edge.prerequisite], self._concepts[edge.concept]
        return Reviewed(prerequisite=before, concept=after, unit=self._unit[after.id], edge=edge)

    def _rejected(self) -> list[Reviewed]:
        """Removed prerequisites that were not added again, of present concepts; the latest first."""
        named = {concept.name: concept for concept in self._concepts.values()}
        there = {(edge.prerequisite, edge.concept) for edge in self.edges}
        pairs = {(each.prerequisite, each.concept): None for each in reversed(self._removed)}
        return [
            Reviewed(prerequisite=first, concept=then, unit=self._unit[then.id], edge=None)
            for first, then in ((named.get(before), named.get(after)) for before, after in pairs)
            if first and then and (first.id, then.id) not in there
        ]


def _unsure_first(edge: ConceptEdge) -> tuple[bool, float, str, str]:
    return edge.curated, abs(edge.score - SURE), edge.concept, edge.prerequisite


class ConceptOrder(StrEnum):
    """The order of the list of concepts."""

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
        """Are the counts still right: the files the same, and no name new?"""
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
    """The concepts of one course with their counts, listed for review."""

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
        """The concepts that the query finds; its text is searched in names, aliases and explanations."""
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
