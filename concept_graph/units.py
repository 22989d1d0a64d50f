"""The concepts of a course by unit: the part of its material that explains each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from concept_graph.paths import teaching_order
from vta.types import Concept, Place

DEEPEST = 3
"""Headings that are looked at to part the concepts of a single document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A document, or a part of one under a heading; `name` is empty for what is placed nowhere."""

    name: str
    concepts: tuple[Concept, ...]


def find_units(concepts: Iterable[Concept]) -> tuple[Unit, ...]:
    """The units in the order of teaching (see `teaching_order`); concepts without a place are the last one.

    A unit is a document. Where all concepts stand in the same one, it is the highest heading that parts them.
    """
    placed = sorted(concepts, key=_order)
    for depth in range(DEEPEST + 1):
        units: dict[tuple[str | None, tuple[str, ...]], list[Concept]] = defaultdict(list)
        for concept in placed:
            units[concept.document, concept.locator.heading_path[:depth]].append(concept)
        if len({document_and_path for document_and_path in units if document_and_path[0]}) > 1:
            break
    return tuple(Unit(name=_name(each, depth), concepts=tuple(each)) for each in units.values())


def _order(concept: Concept) -> tuple[object, ...]:
    place = Place(document=concept.document, locator=concept.locator) if concept.document else None
    return teaching_order(concept, place)


def _name(concepts: list[Concept], depth: int) -> str:
    first = concepts[0]
    if first.document is None:
        return ""
    headings = first.locator.heading_path[: max(depth, 1)]
    return headings[-1] if headings else PurePosixPath(first.document).stem
