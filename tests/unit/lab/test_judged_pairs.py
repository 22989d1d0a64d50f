"""Figures of judged concept pairs, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from lab.measures.intervals import bootstrap_statistic
from lab.measures.judged_pairs import best_f1, direction, f1_of, measure_pairs

LABELS = np.array([True, True, False, False])
FORWARD = np.array([0.9, 0.4, 0.6, 0.1])
BACKWARD = np.array([0.1, 0.4, 0.0, 0.0])


def test_the_figures_are_those_of_the_definitions():
    """Of four positive-negative couples three are in order; one prerequisite is right, one is even."""
    figures = measure_pairs(FORWARD, BACKWARD, LABELS, threshold=0.5, seed=0)
    assert (figures.n, figures.positive) == (4, 2)
    assert figures.auc == 0.75
    assert figures.f1 == 0.5  # 0.9 and 0.6 are said, 0.9 rightly, 0.4 is missed
    assert figures.f1_best == 0.8  # from 0.4 on: three said, two rightly
    assert figures.direction == 0.75
    assert figures.brier == pytest.approx((0.01 + 0.36 + 0.36 + 0.01) / 4)
    for value, interval in (
        (figures.auc, figures.auc_interval),
        (figures.f1, figures.f1_interval),
        (figures.direction, figures.direction_interval),
    ):
        assert interval is not None
        assert interval[0] <= value <= interval[1]


def test_one_kind_of_label_has_no_auc_and_without_prerequisites_no_direction():
    """What is undefined is None, and nothing fails."""
    figures = measure_pairs(FORWARD, BACKWARD, np.zeros(4, dtype=bool), threshold=0.5, seed=0)
    assert (figures.auc, figures.auc_interval) == (None, None)
    assert (figures.direction, figures.direction_interval) == (None, None)
    assert figures.f1 == 0.0


def test_parts_of_the_figures():
    """F1 of nothing said and nothing true is 0; ties count half; the best cut is among the scores."""
    nothing = np.zeros(3, dtype=bool)
    assert f1_of(nothing, nothing) == 0.0
    assert direction(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 0.5
    assert direction(np.array([]), np.array([])) is None
    assert best_f1(np.array([0.3, 0.2]), np.array([True, False])) == 1.0


def test_an_interval_of_any_statistic_repeats_with_its_seed():
    """Draws without a value do not count; without any there is no interval."""
    values = np.array([0.0, 1.0, 1.0, 1.0])

    def mean(rows):
        return float(values[rows].mean()) if 0 in rows else None

    low, high = bootstrap_statistic(4, mean, seed=1)
    assert 0.0 <= low < high < 1.0
    assert bootstrap_statistic(4, mean, seed=1) == (low, high)
    assert bootstrap_statistic(4, lambda rows: None, seed=1) is None
