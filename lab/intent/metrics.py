"""Figures of a classifier as pure functions of arrays; a figure that is undefined is None, never 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]


def count_confusion(true: Integers, predicted: Integers, classes: int) -> Integers:
    """Counts, classes x classes: row = true class, column = predicted class."""
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (true, predicted), 1)
    return table


def macro_f1(confusion: Integers) -> float | None:
    """The mean of 2 tp / (2 tp + fp + fn) over the classes that occur as true or as predicted."""
    hits = np.diag(confusion)
    total = confusion.sum(axis=0) + confusion.sum(axis=1)
    occurs = total > 0
    return float(np.mean(2 * hits[occurs] / total[occurs])) if occurs.any() else None


def precision_recall_f1(
    true: Booleans, predicted: Booleans
) -> tuple[float | None, float | None, float | None]:
    """Of the positive class; None where nothing is predicted positive or nothing is positive."""
    hits = int(np.sum(true & predicted))
    found, real = int(predicted.sum()), int(true.sum())
    return _share(hits, found), _share(hits, real), _share(2 * hits, found + real)


def expected_calibration_error(confidence: Floats, correct: Booleans, bins: int = 15) -> float | None:
    """sum over equal-width bins of (share of rows) * |mean confidence - share correct|, bins (a, b]."""
    if not len(confidence):
        return None
    numbers = np.clip(np.ceil(confidence * bins).astype(np.int64) - 1, 0, bins - 1)
    gaps = np.bincount(numbers, weights=confidence - correct, minlength=bins)
    return float(np.abs(gaps).sum() / len(confidence))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
