"""Where two names stand closest together."""

from __future__ import annotations

import numpy as np

from concept_graph.prerequisites.occurrences import Occurrence, Occurrences, Places

Near = tuple[int, Occurrence, Occurrence]
"""The tokens between two mentions of a passage, the first of the mentions, the last."""


def closest(some: Occurrences, others: Occurrences, most: int) -> list[Near]:
    """The `most` passages in which the two come closest, closest first, each with the two mentions.

    Mentions that overlap are not two. Of equal distances the earlier mention of `some` counts, of equally
    distant passages the earlier passage. Time grows with the mentions, not with their pairs.
    """
    if not len(some) or not len(others):
        return []
    begins, ends = _keys(some)
    other_begins, other_ends = _keys(others)
    order = np.argsort(other_ends, kind="stable")
    sorted_ends = other_ends[order]
    last = np.searchsorted(sorted_ends, begins, side="right") - 1
    before = order[np.searchsorted(sorted_ends, sorted_ends[last])]
    after = np.searchsorted(other_begins, ends)
    partner = np.stack((before, np.minimum(after, len(others) - 1)), axis=1).ravel()
    exists = np.stack((last >= 0, after < len(others)), axis=1).ravel()
    which = np.repeat(np.arange(len(some)), 2)
    gap = np.maximum(begins[which] - other_ends[partner], other_begins[partner] - ends[which])
    near = np.flatnonzero(exists & (some.passages[which] == others.passages[partner]))
    near = near[np.lexsort((some.passages[which[near]], gap[near]))]
    found: dict[int, Near] = {}
    for n in near:
        one, other = some[int(which[n])], others[int(partner[n])]
        first, second = (one, other) if one.start < other.start else (other, one)
        found.setdefault(one.passage, (int(gap[n]), first, second))
        if len(found) == most:
            break
    return list(found.values())


def _keys(mentions: Occurrences) -> tuple[Places, Places]:
    """Begin and end of each mention as one number, ordered by passage."""
    begins = (mentions.passages.astype(np.int64) << 32) + mentions.starts
    return begins, begins + mentions.lengths
