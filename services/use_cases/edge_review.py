"""The prerequisites of a course as a teacher goes through them: by unit, the unsure ones first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from concept_graph.paths import Unit, find_units
from concept_graph.picture import draw_unit
from vta.text import normalise
from vta.types import SURE, Concept, ConceptEdge, Language, RecordedEdit, UnlinkConcepts


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
    """The graph of one course, and what people removed from it, made ready to be gone through."""

    def __init__(
        self, concepts: Sequence[Concept], edges: Sequence[ConceptEdge], edits: Iterable[RecordedEdit]
    ) -> None:
        self.units = find_units(concepts)
        self.edges = edges
        self._concepts = {concept.id: concept for concept in concepts}
        self._unit = {each.id: n for n, unit in enumerate(self.units) for each in unit.concepts}
        self._removed = [each.edit for each in edits if isinstance(each.edit, UnlinkConcepts)]

    def listed(self, show: Show, *, unit: int | None = None, search: str = "") -> list[Reviewed]:
        """Those to be listed, nearest to the threshold `SURE` first; what a person decided comes last.

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
        """What leads to the concepts of a unit, as SVG; None where nothing does, or there is no such unit."""
        if not 0 <= unit < len(self.units):
            return None
        return draw_unit(self.units[unit], self.edges, self._concepts, language)

    def summaries(self) -> list[UnitSummary]:
        """The units with how much there is in each and is left to decide."""
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
        return Reviewed(
            prerequisite=self._concepts[edge.prerequisite],
            concept=self._concepts[edge.concept],
            unit=self._unit[edge.concept],
            edge=edge,
        )

    def _rejected(self) -> list[Reviewed]:
        """Those removed and not added again, of concepts that the course still has; the latest first."""
        named = {concept.name: concept for concept in self._concepts.values()}
        there = {(edge.prerequisite, edge.concept) for edge in self.edges}
        pairs = {(each.prerequisite, each.concept): None for each in reversed(self._removed)}
        return [
            Reviewed(
                prerequisite=named[before],
                concept=named[after],
                unit=self._unit[named[after].id],
                edge=None,
            )
            for before, after in pairs
            if {before, after} <= named.keys() and (named[before].id, named[after].id) not in there
        ]


def _unsure_first(edge: ConceptEdge) -> tuple[bool, float, str, str]:
    return edge.curated, abs(edge.score - SURE), edge.concept, edge.prerequisite
