"""Intervals: bootstrap for means, Clopper-Pearson for rates of small samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

RESAMPLES = 10_000
_AT_ONCE = 500


def bootstrap_interval(values: Sequence[float], *, seed: int, level: float = 0.95) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean, over `RESAMPLES` resamples."""
    draw, given = np.random.default_rng(seed), np.asarray(values, dtype=np.float64)
    means = np.concatenate(
        [
            given[draw.integers(0, len(given), (_AT_ONCE, len(given)))].mean(axis=1)
            for _ in range(RESAMPLES // _AT_ONCE)
        ]
    )
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def upper_bound(errors: int, n: int, *, delta: float) -> float:
    """The Clopper-Pearson upper bound of a rate: above it with probability at most `delta`.

    The rate at which `errors` or fewer of n are seen with probability delta; 1 where all are errors.
    """
    if errors >= n:
        return 1.0
    low, high = errors / n, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if _at_most(errors, n, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def _at_most(errors: int, n: int, rate: float) -> float:
    """The binomial probability of `errors` or fewer of n."""
    if rate <= 0:
        return 1.0
    if rate >= 1:
        return 0.0
    logs = [
        math.lgamma(n + 1)
        - math.lgamma(k + 1)
        - math.lgamma(n - k + 1)
        + k * math.log(rate)
        + (n - k) * math.log1p(-rate)
        for k in range(errors + 1)
    ]
    return math.fsum(math.exp(log) for log in logs)
