"""Learns from seeds alone which candidates are names: positive-unlabelled logistic regression."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concept_graph.extraction.features import Matrix

Vector = NDArray[np.float64]
FOLDS = 5
RIDGE = 30.0
"""How many seeds weigh as much as the belief that is there before any."""
_ROUNDS = 25


def score_candidates(features: Matrix, weight: Vector, prior: Vector) -> Vector:
    """The log odds of being a name, of each row, learned from which rows are labelled.

    `weight` is how much a row counts as a labelled one; rows of weight 0 are unknown. A logistic regression
    with a normal belief around `prior` is fitted on four fifths of the rows and asked about the last fifth,
    so that no row is judged by its own label. Where labels fall on names by chance (Elkan and Noto, 2008),
    P(labelled | x) = c P(name | x), so the order of rows is that of P(name | x).
    """
    count = len(features)
    if not count:
        return np.zeros(0)
    spread = features.std(axis=0)
    values = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    values = np.clip(values, -4.0, 4.0)
    fold = np.arange(count) % FOLDS
    log_odds = np.zeros(count)
    for each in range(FOLDS):
        held = fold == each
        weights, bias = _fit(values[~held], weight[~held], prior)
        log_odds[held] = values[held] @ weights + bias
    return log_odds


def _fit(values: Matrix, weight: Vector, prior: Vector) -> tuple[Vector, float]:
    """Weights and bias by Newton's method; both classes weigh the same, as unlabelled rows are the most."""
    labels = (weight > 0).astype(float)
    positives = float(weight.sum())
    if not 0 < labels.sum() < len(labels):
        return prior, 0.0
    balance = np.where(labels > 0, weight / 2, positives / 2 / (len(labels) - labels.sum()))
    columns = np.column_stack([values, np.ones(len(values))])
    believed = np.append(prior, 0.0)
    ridge = np.append(np.full(len(prior), RIDGE), 1e-3)

    def loss(weights: Vector) -> float:
        signed = np.where(labels > 0, -1.0, 1.0) * (columns @ weights)
        return float((balance * np.logaddexp(0.0, signed)).sum() + ridge @ (weights - believed) ** 2 / 2)

    weights, before = believed, loss(believed)
    for _ in range(_ROUNDS):
        share = _sigmoid(columns @ weights)
        slope = columns.T @ (balance * (share - labels)) + ridge * (weights - believed)
        curve = (columns * (balance * share * (1 - share))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        after = loss(weights - step)
        while after > before and np.abs(step).max() > 1e-6:
            step = step / 2
            after = loss(weights - step)
        weights, improved, before = weights - step, before - after, after
        if improved < 1e-7:
            break
    return weights[:-1], float(weights[-1])


def _sigmoid(values: Vector) -> Vector:
    result: Vector = 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))
    return result
