"""Intervals: bootstrap for means, Clopper-Pearson for rates of small samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
STATISTIC_RESAMPLES = 1_000
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


def bootstrap_statistic(
    n: int, statistic: Callable[[NDArray[np.int64]], float | None], *, seed: int, level: float = 0.95
) -> tuple[float, float] | None:
    """The percentile bootstrap interval of any statistic of n rows, over `STATISTIC_RESAMPLES` resamples.

    `statistic` is given the places of the rows drawn. Draws where it is undefined do not count; None where
    all are.
    """
    draw = np.random.default_rng(seed)
    drawn = (statistic(draw.integers(0, n, n)) for _ in range(STATISTIC_RESAMPLES))
    values = [value for value in drawn if value is not None]
    if not values:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
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
