"""How likely a candidate is a term of the course's subject: a logistic regression over its features.

The weights are in `words/naming.toml`: fitted by `benchmarks/concept_names.py` to the glossaries of textbooks
and to judged names of courses, each standing for one course.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from concept_graph.extraction.features import FEATURES, Matrix
from concept_graph.extraction.seeds import SeedKind
from concept_graph.word_files import read_weights

Vector = NDArray[np.float64]
LEARNED_KINDS = (SeedKind.HEADING, SeedKind.GLOSSED, SeedKind.MARKED)
COLUMNS = (*FEATURES, *LEARNED_KINDS, "unheaded", "bias")
FEW_HEADINGS = 10
"""With fewer names in its headings a course counts as one without headings, such as recorded speech."""
GIVEN_LOG_ODDS = 8.0
"""What it adds that a person gives the name."""
_FARTHEST = 4.0
"""Standard deviations."""


def score_candidates(features: Matrix, kinds: Sequence[SeedKind | None], han: NDArray[np.bool_]) -> Vector:
    """The probability of each row; `kinds` say how a name is set apart, `han` which are Chinese."""
    log_odds = design(features, kinds, han) @ _weights()
    log_odds += GIVEN_LOG_ODDS * np.array([kind is SeedKind.GIVEN for kind in kinds])
    probability: Vector = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
    return probability


def design(features: Matrix, kinds: Sequence[SeedKind | None], han: NDArray[np.bool_]) -> Matrix:
    """Rows of `COLUMNS`: features in deviations from the mean of the course's names of the same script."""
    rows = np.zeros((len(features), len(COLUMNS)))
    for script in (han, ~han):
        if script.any():
            rows[script, : len(FEATURES)] = _standardised(features[script])
    for n, kind in enumerate(LEARNED_KINDS, start=len(FEATURES)):
        rows[:, n] = [each is kind for each in kinds]
    rows[:, -2] = sum(each is SeedKind.HEADING for each in kinds) < FEW_HEADINGS
    rows[:, -1] = 1.0
    return rows


def _standardised(features: Matrix) -> Matrix:
    spread = features.std(axis=0)
    values: Matrix = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.clip(values, -_FARTHEST, _FARTHEST)


@cache
def _weights() -> Vector:
    weights = read_weights("naming")
    return np.array([weights.get(name, 0.0) for name in COLUMNS])
