"""Weak signals about each ordered pair of names (a, b), from counts and from the names themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from concept_graph.prerequisites.counts import Counts, Matrix, Vector
from concept_graph.prerequisites.definitions import Definitions
from concept_graph.prerequisites.occurrences import tokens
from vta.text import FIRST_HAN, stem

NameWords = tuple[tuple[str, ...], ...]


def name_words(names: Sequence[str]) -> NameWords:
    """The stems of each name's words, a qualifier's included, in order and each once."""
    return tuple(tuple(dict.fromkeys(map(stem, tokens(name)))) for name in names)


def relatedness(counts: Counts, words: NameWords) -> Iterator[Matrix]:
    """Symmetric signals, n x n, high where two names belong together.

    Likeness of contexts; co-occurrence in passages and in windows of a sentence's length (signed root of
    Dunning's log likelihood ratio, which unlike PMI does not favour rare names); shared words of names.
    """
    yield np.asarray(counts.contexts @ counts.contexts.T, dtype=np.float64)
    yield _association(counts.together_passages, counts.passages)
    yield _association(counts.together_windows, counts.windows)
    yield _overlap(words)


def order(counts: Counts, definitions: Definitions) -> Iterator[Matrix]:
    """High where a is taught before b: first mentions, middle of the mentions, document with most, and the
    first definitions, where both have one.
    """
    for place in (counts.early, counts.centre, counts.home):
        yield _rise(-place)
    yield np.nan_to_num(_rise(-definitions.place))


def naming(words: NameWords) -> Iterator[Matrix]:
    """High where a's name is the more basic: "tree" and "binary tree".

    The number of other names made from it; its fewer words; whether its words are some of b's.
    """
    inside = containment(words)
    yield _rise(np.log1p(inside.sum(axis=1)))
    yield _rise(-np.array([len(each) for each in words], dtype=np.float64))
    yield inside - inside.T


def familiarity(counts: Counts, words: NameWords) -> Iterator[Matrix]:
    """High where the rarest word of a's name is commoner in the course than that of b's."""
    rarest = [min((counts.words[word] for word in each), default=0) for each in words]
    yield _rise(np.log(np.maximum(np.array(rarest, dtype=np.float64), 1)))


def _rise(value: Vector) -> Matrix:
    """value[a] - value[b]."""
    return np.asarray(value[:, None] - value[None, :])


def _association(together: Matrix, units: int) -> Matrix:
    alone = together.diagonal()
    both, first, second = together, alone[:, None] - together, alone[None, :] - together
    neither = units - both - first - second
    gain = _entropy(both + first, second + neither) + _entropy(both + second, first + neither)
    gain -= _entropy(both, first, second, neither)
    above = np.sign(both - alone[:, None] * alone[None, :] / max(units, 1))
    return np.asarray(np.sqrt(np.maximum(2 * gain, 0)) * above)


def _entropy(*parts: Matrix) -> Matrix:
    """- sum of k log(k / N)."""
    whole = np.asarray(sum(parts))
    terms = (k * np.log(np.maximum(k, 1e-12) / np.maximum(whole, 1e-12)) for k in parts)
    return -np.asarray(sum(terms))


def containment(words: NameWords) -> Matrix:
    """1 where all words of a are among b's, and b has more; Chinese characters in one piece."""
    inside = np.zeros((len(words), len(words)))
    for a, b, shared in _sharing(words):
        if shared == len(words[a]) < len(words[b]):
            inside[a, b] = max(words[a]) < FIRST_HAN or "".join(words[a]) in "".join(words[b])
    return inside


def _overlap(words: NameWords) -> Matrix:
    """The share of the words of two names that they have in common (Jaccard)."""
    overlap = np.zeros((len(words), len(words)))
    for a, b, shared in _sharing(words):
        overlap[a, b] = shared / (len(words[a]) + len(words[b]) - shared)
    return overlap


def _sharing(words: NameWords) -> Iterator[tuple[int, int, int]]:
    """The ordered pairs of names with a word in common, and how many they have."""
    having: dict[str, list[int]] = defaultdict(list)
    for n, each in enumerate(words):
        for word in each:
            having[word].append(n)
    for a, each in enumerate(words):
        shared = Counter(b for word in each for b in having[word] if b != a)
        for b, times in shared.items():
            yield a, b, times
