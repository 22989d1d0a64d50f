"""Scores of concept pairs (a, b) against labels that say whether a is a prerequisite of b."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.measures.intervals import bootstrap_statistic
from lab.measures.metrics import roc_auc

Scores = NDArray[np.float64]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFigures:
    """The figures over n pairs, `positive` of them prerequisites; None where one is undefined.

    `auc` and `f1` (yes from the threshold on) are over all pairs; `f1_best` is at the threshold that is best
    on these labels, which is kind. `direction` is the share of the prerequisites that score higher in their
    own direction than in the other, ties counted half; `brier` the mean squared distance of score and label.
    Intervals are 95 % percentile bootstrap intervals over pairs.
    """

    n: int
    positive: int
    auc: float | None
    auc_interval: Interval | None
    f1: float
    f1_interval: Interval | None
    f1_best: float
    direction: float | None
    direction_interval: Interval | None
    brier: float


def measure_pairs(
    forward: Scores, backward: Scores, labels: NDArray[np.bool_], *, threshold: float, seed: int
) -> PairFigures:
    """The figures of scores for (a, b) and, `backward`, for (b, a), all in the order of the labels.

    There must be a pair.
    """
    n, own, other = len(labels), forward[labels], backward[labels]

    def auc(rows: NDArray[np.int64]) -> float | None:
        return roc_auc(labels[rows], forward[rows])

    def f1(rows: NDArray[np.int64]) -> float:
        return f1_of(forward[rows] >= threshold, labels[rows])

    def right_way(rows: NDArray[np.int64]) -> float | None:
        return direction(own[rows], other[rows])

    every = np.arange(n)
    return PairFigures(
        n=n,
        positive=len(own),
        auc=auc(every),
        auc_interval=bootstrap_statistic(n, auc, seed=seed),
        f1=f1(every),
        f1_interval=bootstrap_statistic(n, f1, seed=seed),
        f1_best=best_f1(forward, labels),
        direction=direction(own, other),
        direction_interval=bootstrap_statistic(len(own), right_way, seed=seed) if len(own) else None,
        brier=float(np.mean((forward - labels) ** 2)),
    )


def f1_of(said: NDArray[np.bool_], labels: NDArray[np.bool_]) -> float:
    """The harmonic mean of precision and recall; 0 where nothing is said and nothing is true."""
    return float(2 * (said & labels).sum() / max(said.sum() + labels.sum(), 1))


def best_f1(scores: Scores, labels: NDArray[np.bool_]) -> float:
    """F1 at the threshold that is best on these labels."""
    return max(f1_of(scores >= cut, labels) for cut in np.unique(scores))


def direction(forward: Scores, backward: Scores) -> float | None:
    """The share of pairs that score higher in their own direction, ties counted half; None without pairs."""
    return float(((forward > backward) + 0.5 * (forward == backward)).mean()) if len(forward) else None
