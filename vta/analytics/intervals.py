"""Shares with 95 % intervals, and the difference of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

_Z = 1.959964
"""The 0.975 quantile of the normal distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(count: int, total: int) -> Interval | None:
    """The share of `count` in `total`, with the interval of Wilson (1927); None of nothing."""
    if not total:
        return None
    share = count / total
    middle = (share + _Z**2 / (2 * total)) / (1 + _Z**2 / total)
    half = _Z * sqrt(share * (1 - share) / total + _Z**2 / (4 * total**2)) / (1 + _Z**2 / total)
    return Interval(value=share, low=max(0.0, middle - half), high=min(1.0, middle + half))


def newcombe(first: Interval | None, second: Interval | None) -> Interval | None:
    """The second share less the first, with the interval of Newcombe (1998), method 10; None without both."""
    if first is None or second is None:
        return None
    difference = second.value - first.value
    low = sqrt((second.value - second.low) ** 2 + (first.high - first.value) ** 2)
    high = sqrt((second.high - second.value) ** 2 + (first.value - first.low) ** 2)
    return Interval(value=difference, low=difference - low, high=difference + high)
