"""The model: a is a prerequisite of b where the two are related, and a comes first.

    P(a before b) = logistic(RELATED max(R, 0) + BIAS + ASKED (A - TYPICAL))
                    * logistic(sum over k of DIRECTED_k D_k)

R is the signal `related` and D_k are those of `signals.DIRECTED`. What is unrelated is told from the related
no further: below the mean of a course's pairs R says nothing. A is the mean R of the pairs that are asked
about: where somebody chose related pairs, more of them are prerequisites. The numbers are fitted to open
labelled pairs of three fields (`benchmarks/prerequisite_fitting.py`, which also says what they reach on a
field that was left out). ODDS, by which the odds of P are raised, brings F1 at `THRESHOLD` near its best on
them. Of (a, b) and (b, a) at most one reaches `THRESHOLD`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from concept_graph.prerequisites.counts import Matrix
from concept_graph.prerequisites.signals import Signals

THRESHOLD = 0.5
"""Scores from here on say that a is a prerequisite of b."""
RELATED, BIAS, ASKED = 0.75, -0.14, 3.63
DIRECTED = (0.99, 0.21, 0.34, 0.54, 0.46, 0.58)
"""Of before, commonness, familiarity, naming, definitions, headings."""
TYPICAL = 0.7
"""The mean R of pairs that somebody asks about."""
ODDS = 1.7
_BELIEVED = 10
"""So many pairs of the typical R are added to those that are asked about."""
_JUST_BELOW = 0.499


def asked_related(signals: Signals, pairs: Iterable[tuple[int, int]]) -> float:
    """A of pairs of names, given by their numbers, whichever way round and however often."""
    asked = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    total = sum(float(signals.related[a, b]) for a, b in asked)
    return (total + _BELIEVED * TYPICAL) / (len(asked) + _BELIEVED)


def score_names(signals: Signals, *, asked: float = TYPICAL) -> Matrix:
    """For each name a (row) and b (column): how likely a is a prerequisite of b; 0 on the diagonal.

    `asked` is A, see `asked_related`.
    """
    direction = np.asarray(
        sum(weight * each for weight, each in zip(DIRECTED, signals.directed, strict=True))
    )
    related = RELATED * np.maximum(signals.related, 0) + BIAS + ASKED * (asked - TYPICAL)
    scores = combine(related, direction)
    np.fill_diagonal(scores, 0)
    return scores


def combine(related: Matrix, direction: Matrix) -> Matrix:
    """The scores of pairs from the log odds that they are related, and that they are the right way round."""
    joint = 1 / (1 + np.exp(-related)) / (1 + np.exp(-direction))
    scores = ODDS * joint / (1 + (ODDS - 1) * joint)
    return np.asarray(np.where(direction > 0, scores, np.minimum(scores, _JUST_BELOW)))
