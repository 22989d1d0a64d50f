"""What is measured of a phrase: how firmly its words hold together, and what it is made of."""

from __future__ import annotations

from collections import Counter
from math import log

import rjieba

from concept_graph.extraction.candidates import Counted
from concept_graph.extraction.runs import Run, is_han


def association(words: Run, counted: Counted) -> float:
    """The lowest pointwise mutual information of the phrase over all its splits in two; 0 for one word."""
    if len(words) == 1:
        return 0.0
    whole = counted.candidates[words].count
    return min(
        log(whole * counted.total / (_count(words[:cut], counted) * _count(words[cut:], counted)))
        for cut in range(1, len(words))
    )


def _count(words: Run, counted: Counted) -> int:
    if len(words) == 1:
        return max(1, counted.words[words[0]])
    known = counted.candidates.get(words)
    return known.count if known else max(1, min(counted.words[word] for word in words))


def entropy(neighbours: Counter[str], count: int) -> float:
    """The branching entropy; every end of a run counts as a neighbour of its own."""
    edges = neighbours.get("", 0)
    rest = sum(n / count * log(count / n) for word, n in neighbours.items() if word)
    return rest + edges / count * log(count)


def heads(words: Run) -> tuple[str, ...]:
    """What a name ends in: its last word, and for Chinese its last character."""
    last = words[-1]
    if len(words) == 1:
        return (last[-1],) if is_han(last) and len(last) > 1 else ()
    return (last, last[-1]) if is_han(last) and len(last) > 1 else (last,)


def parts(words: Run) -> set[Run]:
    return {words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)}


def background(text: str) -> float:
    """The logarithm of how often the phrase comes in Chinese at large, by the segmenter's dictionary."""
    return log(max(1, int(rjieba.suggest_freq(text))))
