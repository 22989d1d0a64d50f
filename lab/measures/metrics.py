"""Metrics of a ranked list against graded judgements, and of scores against labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """A question with the documents judged to hold its answer or to be related, with their grades."""

    id: str
    text: str
    grades: Mapping[str, int]


def hit_at(k: int, ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """1 where one of the first k has a grade above 0, else 0."""
    return float(any(grades.get(name, 0) > 0 for name in ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """1 / rank of the first with a grade above 0; 0 where there is none. Its mean is MRR."""
    return next((1 / rank for rank, name in enumerate(ranked, start=1) if grades.get(name, 0) > 0), 0.0)


def ndcg_at(k: int, ranked: Sequence[str], grades: Mapping[str, int]) -> float:
    """DCG over the best DCG that the judgements allow, with gain 2^grade - 1 and discount log2(rank + 1).

    `ValueError` where nothing is judged relevant, since then it has no value.
    """
    best = _dcg(sorted(grades.values(), reverse=True)[:k])
    if best <= 0:
        raise ValueError("nothing is judged relevant")
    return _dcg([grades.get(name, 0) for name in ranked[:k]]) / best


def roc_auc(true: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    """The chance that a positive scores above a negative, ties counted half; None without both."""
    positives, negatives = scores[true], np.sort(scores[~true])
    if not len(positives) or not len(negatives):
        return None
    below = np.searchsorted(negatives, positives, side="left")
    up_to = np.searchsorted(negatives, positives, side="right")
    return float(np.mean(below + up_to) / 2 / len(negatives))


def _dcg(grades: Sequence[int]) -> float:
    return sum((2.0**grade - 1.0) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
