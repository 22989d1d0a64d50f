"""What is counted about names in a course: how often, where, with whom and among which words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concept_graph.prerequisites.occurrences import Occurrences, Places, TokenText
from vta.text import stem

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

WINDOW = 25
"""Tokens: about one sentence, and the same for speech without punctuation."""
VOCABULARY = 6000
"""The commonest words of the course that are looked at as contexts."""
_MANY, _BLOCK = 64, 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts of n names, in their order.

    `first` and `centre` are places as shares of the course, 0 to 1: of the first mention and of the median
    one. `mentions` are how many there are, and `before` (n x n) how many of a are before the first of b.
    `together_*` are n x n numbers of passages or windows with both, of `passages` and `windows` in all.
    `contexts` is n x V, centred tf-idf rows of length 1. `words` counts the stems of the course.
    """

    first: Vector
    centre: Vector
    mentions: Vector
    before: Matrix
    together_passages: Matrix
    together_windows: Matrix
    passages: int
    windows: int
    contexts: NDArray[np.float32]
    words: Counter[str]


def count(text: TokenText, found: Sequence[Occurrences]) -> Counts:
    """Count names that each occur at least once. Time grows with the text, memory with n * n + n * V."""
    offsets = text.offsets()
    size = max(int(offsets[-1]), 1)
    places = [each.places(offsets) for each in found]
    first = np.array([each.min() for each in places])
    mentions = _tally([each.passages for each in found])
    windows = [
        each.passages.astype(np.int64) * (int(np.diff(offsets).max(initial=0)) // WINDOW + 1)
        for each in found
    ]
    windows = [window + each.starts // WINDOW for window, each in zip(windows, found, strict=True)]
    return Counts(
        first=first / size,
        centre=np.array([np.median(each / size) for each in places]),
        mentions=np.array([len(each) for each in places], dtype=np.float64),
        before=np.stack([np.searchsorted(each, first) for each in places]).astype(np.float64),
        together_passages=_together(mentions, len(found)),
        together_windows=_together(_tally(windows), len(found)),
        passages=len(text.tokens),
        windows=int((-(-np.diff(offsets) // WINDOW)).sum()),
        contexts=_contexts(text, mentions, len(found)),
        words=_stems(text),
    )


Tally = dict[int, tuple[NDArray[np.intp], Vector]]
"""For each unit of text, by the first name in it and then in reading order: the names in it, how often."""


def _tally(units: Sequence[Places]) -> Tally:
    """`units[n]` are the numbers of the units in which name n stands."""
    names = np.repeat(np.arange(len(units)), [len(each) for each in units])
    whole = np.concatenate([*units, np.zeros(0, np.int64)]).astype(np.int64)
    both, times = np.unique(whole * len(units) + names, return_counts=True)
    unit, name = np.divmod(both, len(units))
    begins = np.flatnonzero(np.diff(unit, prepend=-1))
    ends = np.append(begins[1:], len(unit))
    order = np.argsort(name[begins], kind="stable")
    spans = zip(begins[order].tolist(), ends[order].tolist(), strict=True)
    return {int(unit[begin]): (name[begin:end], times[begin:end].astype(float)) for begin, end in spans}


def _together(units: Tally, n: int) -> Matrix:
    """In how many units each two names stand; those with many names are counted as products, in blocks."""
    together = np.zeros((n, n))
    many = [members for members, _ in units.values() if len(members) >= _MANY]
    for begin in range(0, len(many), _BLOCK):
        block = many[begin : begin + _BLOCK]
        present = np.zeros((len(block), n), dtype=np.float32)
        for row, members in zip(present, block, strict=True):
            row[members] = 1
        together += present.T @ present
    for members, _ in units.values():
        if len(members) < _MANY:
            together[members[:, None], members] += 1
    return together


def _stems(text: TokenText) -> Counter[str]:
    words: Counter[str] = Counter()
    for each in text.tokens:
        words.update(each)
    stems: Counter[str] = Counter()
    for word, times in words.items():
        stems[stem(word)] += times
    return stems


def _contexts(text: TokenText, in_passages: Tally, n: int) -> NDArray[np.float32]:
    """The mean tf-idf vector of the passages about each name, less the mean of all names."""
    spread = Counter(word for each in text.tokens for word in dict.fromkeys(each) if word.isalpha())
    common = [word for word, times in spread.most_common(VOCABULARY) if times > 2]
    column = {word: n for n, word in enumerate(common)}
    weight = np.log(len(text.tokens) / np.array([spread[word] for word in common], dtype=np.float64))
    total = np.zeros(n)
    contexts = np.zeros((n, len(common)), dtype=np.float32)
    for passage, (members, mentions) in in_passages.items():
        times = Counter(column[word] for word in text.tokens[passage] if word in column)
        at = np.array(list(times), dtype=np.intp)
        vector = np.log1p(np.array(list(times.values()), dtype=np.float64)) * weight[at]
        vector /= float(np.linalg.norm(vector)) or 1.0
        contexts[members[:, None], at] += np.outer(mentions, vector)
        total[members] += mentions
    contexts /= np.maximum(total, 1)[:, None]
    contexts -= contexts.mean(axis=0, keepdims=True)
    lengths = np.linalg.norm(contexts, axis=1, keepdims=True)
    return np.asarray(contexts / np.where(lengths > 0, lengths, 1), dtype=np.float32)
