"""Intervals of shares, on the figures of the papers that name the methods."""

from __future__ import annotations

import pytest

from vta.analytics.intervals import newcombe, wilson


@pytest.mark.parametrize(
    ("count", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_of_a_share_is_that_of_the_paper(
    count: int, total: int, low: float, high: float
) -> None:
    """Newcombe (1998), Two-sided confidence intervals for the single proportion, Table I, method 3."""
    found = wilson(count, total)
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((count / total, low, high), abs=5e-5)


def test_the_interval_of_a_difference_is_that_of_the_paper() -> None:
    """Newcombe (1998), Interval estimation for the difference, Table II, method 10: 56/70 less 48/80."""
    found = newcombe(wilson(48, 80), wilson(56, 70))
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_nothing_has_no_interval() -> None:
    assert wilson(0, 0) is None
    assert newcombe(wilson(0, 0), wilson(1, 2)) is None
