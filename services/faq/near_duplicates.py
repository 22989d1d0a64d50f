"""Groups of questions that ask nearly the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vta.text import Analyser, jaccard

ALIKE = 0.5
"""Jaccard similarity of content words and grams from which two questions stand in one group."""


def group_near_duplicates(wordings: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The texts in groups, each in the order given; groups by their first text.

    A text joins the group whose first text it is most alike, from `ALIKE` on; else it begins one. So no
    chain of small steps brings unlike questions together. Only first texts that share a term are compared.
    """
    analyser = Analyser()
    groups: list[tuple[frozenset[str], list[str]]] = []
    by_term: defaultdict[str, list[int]] = defaultdict(list)
    for text in wordings:
        own = content_terms(analyser, text)
        nearby = {number for term in own for number in by_term[term]}
        best = max(nearby, key=lambda number: (jaccard(own, groups[number][0]), -number), default=None)
        if best is not None and jaccard(own, groups[best][0]) >= ALIKE:
            groups[best][1].append(text)
            continue
        for term in own:
            by_term[term].append(len(groups))
        groups.append((own, [text]))
    return tuple(tuple(group) for _, group in groups)


def content_terms(analyser: Analyser, text: str) -> frozenset[str]:
    """The content words and character grams of a text, by which questions are compared."""
    return frozenset((*analyser.content_words(text), *analyser.content_grams(text)))
