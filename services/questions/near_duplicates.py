"""Questions that ask nearly the same, brought together."""

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


def group_by_terms(items: Sequence[T], terms: Sequence[frozenset[str]]) -> tuple[tuple[T, ...], ...]:
    """The items in groups, each in the order given; groups by their first item.

    An item joins the group whose first item it is most alike, from `ALIKE` on; else it begins one. So no
    chain of small steps brings unlike questions together. Only first items that share a term are compared.
    """
    groups: list[list[T]] = []
    terms_of: list[frozenset[str]] = []
    by_term: defaultdict[str, list[int]] = defaultdict(list)
    for item, own in zip(items, terms, strict=True):
        nearby = {number for term in own for number in by_term[term]}
        best = max(nearby, key=lambda number: (jaccard(own, terms_of[number]), -number), default=None)
        if best is not None and jaccard(own, terms_of[best]) >= ALIKE:
            groups[best].append(item)
            continue
        for term in own:
            by_term[term].append(len(groups))
        groups.append([item])
        terms_of.append(own)
    return tuple(map(tuple, groups))


def content_terms(analyser: Analyser, text: str) -> frozenset[str]:
    """The content words and character grams of a text, by which questions are compared."""
    return frozenset((*analyser.content_words(text), *analyser.content_grams(text)))
