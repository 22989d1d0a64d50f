"""What is counted about names in a course: how often, where, with whom and among which words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from concept_graph.prerequisites.occurrences import Occurrence, TokenText
from vta.text import stem

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

WINDOW = 25
"""Tokens: about one sentence, and the same for speech without punctuation."""
VOCABULARY = 6000
"""The commonest words of the course that are looked at as contexts."""
_EARLY = 5
"""Percent of the mentions: what counts as the first teaching, so that one stray mention does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts of n names, in their order.

    `first`, `early`, `centre` and `home` are places as shares of the course, 0 to 1: of the first mention,
    of the first mentions, of the median mention, of the document with most mentions. `together_*` are n x n
    numbers of passages or windows with both, of `passages` and `windows` in all. `contexts` is n x V,
    centred tf-idf rows of length 1. `words` counts the stems of the course.
    """

    first: Vector
    early: Vector
    centre: Vector
    home: Vector
    together_passages: Matrix
    together_windows: Matrix
    passages: int
    windows: int
    contexts: NDArray[np.float32]
    words: Counter[str]


def count(text: TokenText, found: Sequence[tuple[Occurrence, ...]]) -> Counts:
    """Count names that each occur at least once. Time grows with the text, memory with n * n + n * V."""
    lengths = [len(each) for each in text.tokens]
    offsets = list(accumulate(lengths, initial=0))
    size, documents = max(offsets[-1], 1), max(text.documents, default=0) + 1
    places = [np.array([offsets[o.passage] + o.start for o in each]) / size for each in found]
    homes = [Counter(text.documents[o.passage] for o in each) for each in found]
    in_passages: dict[int, Counter[int]] = defaultdict(Counter)
    in_windows: dict[tuple[int, int], set[int]] = defaultdict(set)
    for n, each in enumerate(found):
        for o in each:
            in_passages[o.passage][n] += 1
            in_windows[o.passage, o.start // WINDOW].add(n)
    return Counts(
        first=np.array([each.min() for each in places]),
        early=np.array([np.percentile(each, _EARLY) for each in places]),
        centre=np.array([np.median(each) for each in places]),
        home=np.array([min(each, key=lambda d: (-each[d], d)) / documents for each in homes]),
        together_passages=_together(in_passages.values(), len(found)),
        together_windows=_together(in_windows.values(), len(found)),
        passages=len(lengths),
        windows=sum(-(-length // WINDOW) for length in lengths),
        contexts=_contexts(text, in_passages, len(found)),
        words=Counter(stem(word) for each in text.tokens for word in each),
    )


def _together(units: Iterable[Iterable[int]], n: int) -> Matrix:
    together = np.zeros((n, n))
    for unit in units:
        members = np.array(sorted(unit))
        together[members[:, None], members] += 1
    return together


def _contexts(text: TokenText, in_passages: dict[int, Counter[int]], n: int) -> NDArray[np.float32]:
    """The mean tf-idf vector of the passages about each name, less the mean of all names."""
    spread = Counter(word for each in text.tokens for word in dict.fromkeys(each) if word.isalpha())
    common = [word for word, times in spread.most_common(VOCABULARY) if times > 2]
    column = {word: n for n, word in enumerate(common)}
    weight = np.log(len(text.tokens) / np.array([spread[word] for word in common], dtype=np.float64))
    total = np.zeros(n)
    contexts = np.zeros((n, len(common)), dtype=np.float32)
    for passage, names in in_passages.items():
        times = Counter(column[word] for word in text.tokens[passage] if word in column)
        at = np.array(list(times), dtype=np.intp)
        vector = np.log1p(np.array(list(times.values()), dtype=np.float64)) * weight[at]
        vector /= float(np.linalg.norm(vector)) or 1.0
        members, mentions = np.array(list(names)), np.array(list(names.values()), dtype=np.float64)
        contexts[members[:, None], at] += np.outer(mentions, vector)
        total[members] += mentions
    contexts /= np.maximum(total, 1)[:, None]
    contexts -= contexts.mean(axis=0, keepdims=True)
    lengths = np.linalg.norm(contexts, axis=1, keepdims=True)
    return np.asarray(contexts / np.where(lengths > 0, lengths, 1), dtype=np.float32)
