"""The model: a is a prerequisite of b where the two are related, and a comes first.

    P(a before b) = logistic(RELATED max(R, 0) + BIAS) * logistic(sum over k of DIRECTED_k D_k)

R is the signal `related` and D_k are those of `signals.DIRECTED`. What is unrelated is told from the related
no further: below the mean of a course's pairs R says nothing. The seven numbers are fitted to open labelled
pairs of three fields (`benchmarks/prerequisite_fitting.py`, which also says what they reach on a field that
was left out). ODDS, by which the odds of P are raised, brings F1 at `THRESHOLD` near its best on them: sets
of pairs that somebody asks about hold more prerequisites than the fit's mean set. Of (a, b) and (b, a) at
most one reaches `THRESHOLD`.
"""

from __future__ import annotations

import numpy as np

from concept_graph.prerequisites.counts import Matrix
from concept_graph.prerequisites.signals import Signals

THRESHOLD = 0.5
"""Scores from here on say that a is a prerequisite of b."""
RELATED, BIAS = 0.91, 0.07
DIRECTED = (0.56, 0.48, 0.62, 0.62, 0.77)
"""Of order, familiarity, naming, definitions, headings."""
ODDS = 1.5
_JUST_BELOW = 0.499


def score_names(signals: Signals) -> Matrix:
    """For each name a (row) and b (column): how likely a is a prerequisite of b; 0 on the diagonal."""
    direction = np.asarray(
        sum(weight * each for weight, each in zip(DIRECTED, signals.directed, strict=True))
    )
    scores = combine(RELATED * np.maximum(signals.related, 0) + BIAS, direction)
    np.fill_diagonal(scores, 0)
    return scores


def combine(related: Matrix, direction: Matrix) -> Matrix:
    """The scores of pairs from the log odds that they are related, and that they are the right way round."""
    joint = 1 / (1 + np.exp(-related)) / (1 + np.exp(-direction))
    scores = ODDS * joint / (1 + (ODDS - 1) * joint)
    return np.asarray(np.where(direction > 0, scores, np.minimum(scores, _JUST_BELOW)))
