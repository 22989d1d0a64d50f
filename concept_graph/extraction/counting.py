"""Which sequences of words come often enough to be looked at, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from concept_graph.extraction.runs import Run

LONGEST_NAME = 5
"""Words."""
_MOST_COUNTED = 1_500_000
"""Sequences held at once; beyond it, those seen once are forgotten."""


def count_sequences(runs: Iterable[Run], *, boundary: frozenset[str], fewest: int) -> Counter[Run]:
    """How often each sequence of 1 to `LONGEST_NAME` words comes, at least `fewest` times.

    No sequence begins or ends with a word of `boundary`, or holds one but "of", "the" or "and".
    """
    counts: Counter[Run] = Counter()
    for run in runs:
        found: list[Run] = []
        for start, word in enumerate(run):
            if word in boundary:
                continue
            for end in range(start + 1, min(start + LONGEST_NAME, len(run)) + 1):
                last = run[end - 1]
                if last not in boundary:
                    found.append(run[start:end])
                elif last not in JOINING:
                    break
        counts.update(found)
        if len(counts) > _MOST_COUNTED:
            counts = Counter({sequence: n for sequence, n in counts.items() if n > 1})
    return Counter({sequence: n for sequence, n in counts.items() if n >= fewest})


JOINING = frozenset({"of", "the", "and"})
"""Function words that may stand inside a name: divide and conquer, top of the stack."""
