"""k-anonymity: figures that rest on too few people are hidden, and cannot be worked out from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SMALLEST = 5
"""People from which a cohort is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A figure of a table; `count` and `share` (of the table's sum, 0..1) are None where it is hidden."""

    name: str
    count: int | None
    share: float | None

    @property
    def hidden(self) -> bool:
        return self.count is None


Members = Sequence[str]
"""Whom a cell counts, one entry a thing counted, so that a person stands there as often as they were."""


def partition(members: Mapping[str, Members], smallest: int = SMALLEST) -> tuple[Cell, ...]:
    """The cells of a table whose parts make up a known sum, in the order given.

    A part of some but fewer than `smallest` people is hidden. Hidden parts that hold fewer people than that
    together could be worked out from the sum, so the smallest shown part goes with them, and so on. All
    are hidden where the whole rests on fewer people, but not where it rests on nobody. An empty part of a
    shown table is shown as 0.
    """
    people = {name: frozenset(persons) for name, persons in members.items()}
    hidden = {name for name, persons in people.items() if 0 < len(persons) < smallest}
    if 0 < len(_union(people.values())) < smallest:
        hidden = set(people)
    shown = sorted((n for n in people if people[n] and n not in hidden), key=lambda n: (len(people[n]), n))
    while hidden and shown and len(_union(people[name] for name in hidden)) < smallest:
        hidden.add(shown.pop(0))
    total = sum(map(len, members.values()))
    return tuple(
        Cell(name=name, count=None, share=None)
        if name in hidden
        else Cell(name=name, count=len(persons), share=len(persons) / total if total else 0.0)
        for name, persons in members.items()
    )


def large_enough(people: Iterable[str], smallest: int = SMALLEST) -> bool:
    """Whether a figure that rests on these people may be shown."""
    return len(frozenset(people)) >= smallest


def _union(groups: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*groups)
