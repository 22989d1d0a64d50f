"""Groups of questions that ask nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

from vta.text import Analyser, jaccard

T = TypeVar("T")
ALIKE = 0.5
"""Jaccard similarity of content words and grams from which two questions stand in one group."""


def group_near_duplicates(wordings: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """`group_by_terms` of these texts themselves."""
    analyser = Analyser()
    return group_by_terms(wordings, [content_terms(analyser, text) for text in wordings])


def group_by_terms(
    items: Sequence[T], terms: Sequence[frozenset[str]], decided: Sequence[str | None] | None = None
) -> tuple[tuple[T, ...], ...]:
    """The items in groups, each in the order given; groups by their first item.

    An item joins the group whose first item it is most alike, from `ALIKE` on; else it begins one. So no
    chain of small steps brings unlike questions together. Only first items that share a term are compared.
    Items for which a group is `decided` by name are in it, and each of them draws others like a first item.
    """
    names = decided or [None] * len(items)
    groups: list[list[int]] = []
    named: dict[str, list[int]] = {}
    drawing: list[tuple[frozenset[str], list[int]]] = []
    by_term: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(items)), key=lambda place: names[place] is None):
        own, name = terms[place], names[place]
        if name is None:
            nearby = {number for term in own for number in by_term[term]}
            best = max(nearby, key=lambda number: (jaccard(own, drawing[number][0]), -number), default=None)
            if best is not None and jaccard(own, drawing[best][0]) >= ALIKE:
                drawing[best][1].append(place)
                continue
        group: list[int] = [] if name is None else named.setdefault(name, [])
        if not group:
            groups.append(group)
        group.append(place)
        for term in own:
            by_term[term].append(len(drawing))
        drawing.append((own, group))
    return tuple(tuple(items[place] for place in sorted(group)) for group in sorted(groups, key=min))


def content_terms(analyser: Analyser, text: str) -> frozenset[str]:
    """The content words and character grams of a text, by which questions are compared."""
    return frozenset((*analyser.content_words(text), *analyser.content_grams(text)))
