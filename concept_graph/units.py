"""The concepts of a course by unit: the part of its material that explains each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from concept_graph.paths import teaching_order
from vta.types import Concept, Place

DEEPEST = 3
"""Headings that are looked at to part the concepts of a single document."""

_NUMBER = re.compile("[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A document, or a part of one under a heading; `name` is empty for what is placed nowhere."""

    name: str
    concepts: tuple[Concept, ...]


def find_units(concepts: Iterable[Concept]) -> tuple[Unit, ...]:
    """The units in the order of teaching (see `teaching_order`); concepts without a place are the last one.

    A unit is a document, with those of the same name and numbers (`07-tree.md`, `07-tree.srt`). Where all
    concepts stand in the same one, it is the highest heading that parts them.
    """
    placed = sorted(concepts, key=_order)
    for depth in range(DEEPEST + 1):
        units: dict[tuple[str, tuple[str, ...]], list[Concept]] = defaultdict(list)
        for concept in placed:
            units[_lecture(concept.document), concept.locator.heading_path[:depth]].append(concept)
        if sum(bool(lecture) for lecture, _ in units) > 1:
            break
    return tuple(Unit(name=_name(each, depth), concepts=tuple(each)) for each in units.values())


def _order(concept: Concept) -> tuple[object, ...]:
    place = Place(document=concept.document, locator=concept.locator) if concept.document else None
    return teaching_order(concept, place)


def _lecture(document: str | None) -> str:
    """What the files of one lecture share: name and numbers, else the path; empty for none."""
    path = PurePosixPath(document or "")
    numbers = _NUMBER.findall(path.with_suffix("").as_posix()) if path.name else []
    return f"{'.'.join(numbers)} {path.stem}" if numbers else document or ""


def _name(concepts: Sequence[Concept], depth: int) -> str:
    first = concepts[0]
    if first.document is None:
        return ""
    headings = next((path for each in concepts if (path := each.locator.heading_path)), ())[: max(depth, 1)]
    return headings[-1] if headings else PurePosixPath(first.document).stem
