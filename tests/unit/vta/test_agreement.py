"""The agreement of two raters, on figures of textbooks."""

from __future__ import annotations

import pytest

from vta.analytics.agreement import agreement


def test_kappa_is_that_of_the_textbook() -> None:
    """50 proposals: both yes 20, first alone 5, second alone 10, both no 15; kappa is 0.4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    found = agreement(pairs)
    assert found is not None
    assert (found.count, found.share) == (50, 0.7)
    assert found.kappa == pytest.approx(0.4)


def test_kappa_says_nothing_where_all_marks_are_the_same() -> None:
    """Nor is there an agreement on nothing."""
    found = agreement([("good", "good")] * 3)
    assert found is not None
    assert (found.share, found.kappa) == (1.0, None)
    assert agreement([]) is None
