"""Bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
STATISTIC_RESAMPLES = 1_000
_AT_ONCE = 500


def bootstrap_interval(values: Sequence[float], *, seed: int) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of the mean, over `RESAMPLES` resamples."""
    draw, given = np.random.default_rng(seed), np.asarray(values, dtype=np.float64)
    means = np.concatenate(
        [
            given[draw.integers(0, len(given), (_AT_ONCE, len(given)))].mean(axis=1)
            for _ in range(RESAMPLES // _AT_ONCE)
        ]
    )
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def bootstrap_statistic(
    n: int, statistic: Callable[[NDArray[np.int64]], float | None], *, seed: int
) -> tuple[float, float] | None:
    """The 95 % percentile bootstrap interval of any statistic of n rows over `STATISTIC_RESAMPLES` resamples.

    `statistic` is given the places of the rows drawn. Draws where it is undefined do not count; None where
    all are.
    """
    draw = np.random.default_rng(seed)
    drawn = (statistic(draw.integers(0, n, n)) for _ in range(STATISTIC_RESAMPLES))
    values = [value for value in drawn if value is not None]
    if not values:
        return None
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
