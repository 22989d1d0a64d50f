"""How likely a name a is a prerequisite of b, by what a course's texts and the names themselves say.

a is a prerequisite of b where the two are related, and a comes first:

    P(a before b) = logistic(RELATED max(R, 0) + BIAS + ASKED A)
                    * logistic(sum over k of DIRECTED_WEIGHTS_k D_k)

R is the signal `related` and D_k are those of `DIRECTED`. A is the mean R of the pairs that are asked about:
where somebody chose related pairs, more of them are prerequisites. The numbers are fitted to open labelled
pairs of three fields (`benchmarks/prerequisite_fitting.py`, which also says what they reach on a field that
was left out). ODDS, by which the odds of P are raised, brings F1 at `THRESHOLD` near its best on them. Of
(a, b) and (b, a) at most one reaches `THRESHOLD`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from concept_graph.prerequisites.occurrences import (
    Occurrences,
    TokenText,
    contained,
    plain,
    singular_word,
    tokens,
)
from vta.scoring import logistics
from vta.text import stem

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
DIRECTED = ("before", "commonness", "familiarity", "naming")
THRESHOLD = 0.5
"""Scores from here on say that a is a prerequisite of b."""
RELATED, BIAS, ASKED = 0.9, -6.54, 5.15
DIRECTED_WEIGHTS = (1.32, 0.28, 0.41, 0.37)
ODDS = 1.7
TYPICAL = 1.3
"""The mean R of pairs that somebody asks about."""
_PAIRS_BELIEVED = 10
"""So many pairs of the typical R are added to those that are asked about."""
_FEW = 3.0
"""So many mentions of a name make the places of its mentions tell sqrt(1/2) of what those of many do."""
_KINDS_BELIEVED = 5
"""So many names that keep to no order are added to those that show the order of teaching."""
_IN_ITS_NAME = 2.0
"""What a name inside another counts beside a deviation of `naming`."""
_JUST_BELOW = 0.499
_BLOCK = 512


class NameEncoder(Protocol):
    """What is known of names beyond the course."""

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Rows of unit length, near where their meaning is."""

    def commonness(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """The log probability of each text's words in language at large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Signals of n names, n x n each: `related`, and those of `DIRECTED`, which change sign with the order.

    Their deviation is about 1 over the pairs of the course. What places of mentions say is less where a name
    has few of them, and nothing where only a part of it was found.
    """

    related: Matrix
    directed: tuple[Matrix, ...]


def measure(
    text: TokenText, names: Sequence[str], found: Sequence[Occurrences], encoder: NameEncoder
) -> Signals:
    """The signals of names; `found` are the occurrences of each, at least one.

    `related` is co-occurrence in passages and likeness of meaning. Directed are: a mentioned before b, as far
    as the course is taught in order; a's words commoner in language at large and in the course; more names
    made from a, b's among them. Memory grows with n * n.
    """
    bare = [plain(name) for name in names]
    meanings = np.asarray(encoder.embed(bare), dtype=np.float64)
    common = np.asarray(encoder.commonness(bare), dtype=np.float64)
    words = [tuple(map(singular_word, tokens(name))) for name in names]
    inside = _matrix(contained(words), len(names))
    kinds = inside * [[a[-1:] == b[-1:] for b in words] for a in words]
    made = _matrix(contained([tuple(map(stem, tokens(name))) for name in names]), len(names)).sum(axis=1)
    return Signals(
        related=unit(unit(co_occurrence(text, found)) + unit(meanings @ meanings.T)),
        directed=(
            _taught_before(text, found, kinds),
            unit(_rise(common)),
            unit(_rise(np.log(_rarest_words(text, bare)))),
            unit(_rise(np.log1p(made))) + _IN_ITS_NAME * (inside - inside.T),
        ),
    )


def co_occurrence(text: TokenText, found: Sequence[Occurrences]) -> Matrix:
    """The signed root of Dunning's log likelihood ratio of two names in passages, n x n.

    Unlike PMI it does not favour rare names.
    """
    together = np.zeros((len(found), len(found)))
    held = [np.unique(each.passages) for each in found]
    for begin in range(0, len(text.tokens), _BLOCK):
        block = np.zeros((len(found), _BLOCK), dtype=np.float32)
        for row, passages in zip(block, held, strict=True):
            first, last = np.searchsorted(passages, (begin, begin + _BLOCK))
            row[passages[first:last] - begin] = 1
        together += block @ block.T
    alone, units = together.diagonal(), len(text.tokens)
    first, second = alone[:, None] - together, alone[None, :] - together
    neither = units - together - first - second
    gain = _entropy(alone[:, None], units - alone[:, None]) + _entropy(alone[None, :], units - alone[None, :])
    gain = gain - _entropy(together, first, second, neither)
    above = np.sign(together - alone[:, None] * alone[None, :] / max(units, 1))
    return np.asarray(np.sqrt(np.maximum(2 * gain, 0)) * above)


def _entropy(*parts: Matrix) -> Matrix:
    """- sum of k log(k / N)."""
    whole = np.asarray(sum(parts))
    terms = (k * np.log(np.maximum(k, 1e-12) / np.maximum(whole, 1e-12)) for k in parts)
    return -np.asarray(sum(terms))


def _taught_before(text: TokenText, found: Sequence[Occurrences], kinds: Matrix) -> Matrix:
    """How many mentions of a are before the first of b, less the reverse, as far as order tells anything."""
    if not text.ordered:
        return np.zeros_like(kinds)
    first = np.array([each.places[0] for each in found])
    before = np.log1p([np.searchsorted(each.places, first) for each in found])
    mentions = np.array([len(each) for each in found])
    placed = np.sqrt(mentions / (mentions + _FEW)) * [each.whole for each in found]
    sure = placed[:, None] * placed[None, :]
    order = before - before.T
    return np.asarray(unit(order) * sure * teaching_order(order, kinds * (sure > 0)))


def teaching_order(before: Matrix, kinds: Matrix) -> float:
    """How far the order of a course is one in which things are taught, 0 to 1: 0 for any order.

    Of the names of which the second is a kind of the first ("tree", "binary tree"; `kinds` is 1): the share
    of which the first comes first (`before` is positive there), less the share of which it comes last.
    """
    return max(float((kinds * np.sign(before)).sum() / (kinds.sum() + _KINDS_BELIEVED)), 0.0)


def _rarest_words(text: TokenText, names: Sequence[str]) -> Vector:
    """How often the rarest word of each name stands in the course, at least 1."""
    stems: Counter[str] = Counter()
    for word, times in Counter(word for each in text.tokens for word in each).items():
        stems[stem(word)] += times
    rarest = (min((stems[stem(word)] for word in tokens(name)), default=0) for name in names)
    return np.array([max(each, 1) for each in rarest], dtype=np.float64)


def _matrix(pairs: Iterable[tuple[int, int]], n: int) -> Matrix:
    """1 at the pairs, else 0."""
    matrix = np.zeros((n, n))
    for a, b in pairs:
        matrix[a, b] = 1
    return matrix


def unit(matrix: Matrix) -> Matrix:
    """The matrix scaled so that its pairs off the diagonal have deviation 1."""
    deviation = float(matrix[~np.eye(len(matrix), dtype=bool)].std()) if len(matrix) > 1 else 0.0
    return matrix / deviation if deviation > 1e-12 else np.zeros_like(matrix)


def _rise(value: Vector) -> Matrix:
    """value[a] - value[b]."""
    return np.asarray(value[:, None] - value[None, :])


def asked_related(signals: Signals, pairs: Iterable[tuple[int, int]]) -> float:
    """A of pairs of names, given by their numbers, whichever way round and however often."""
    asked = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    total = sum(float(signals.related[a, b]) for a, b in asked)
    return (total + _PAIRS_BELIEVED * TYPICAL) / (len(asked) + _PAIRS_BELIEVED)


def score_names(signals: Signals, asked: float) -> Matrix:
    """For each name a (row) and b (column): how likely a is a prerequisite of b; 0 on the diagonal.

    `asked` is A, see `asked_related`.
    """
    direction = np.asarray(
        sum(weight * each for weight, each in zip(DIRECTED_WEIGHTS, signals.directed, strict=True))
    )
    scores = combine(RELATED * np.maximum(signals.related, 0) + BIAS + ASKED * asked, direction)
    np.fill_diagonal(scores, 0)
    return scores


def combine(related: Matrix, direction: Matrix) -> Matrix:
    """The scores of pairs from the log odds that they are related, and that they are the right way round."""
    joint = logistics(related) * logistics(direction)
    scores = ODDS * joint / (1 + (ODDS - 1) * joint)
    return np.asarray(np.where(direction > 0, scores, np.minimum(scores, _JUST_BELOW)))
