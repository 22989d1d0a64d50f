"""Intervals of the difference of two classifiers on the same rows, by drawing sessions again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.intent.evaluation import Evaluation, Floats, judge
from lab.intent.labels import LabelledQuestion
from vta.types.questions import IntentPrediction

FIGURES: Mapping[str, Callable[[Evaluation], float | None]] = {
    "chit_chat_f1": lambda e: e.chit_chat.f1,
    "chit_chat_auc": lambda e: e.chit_chat.auc,
    "chit_chat_accuracy": lambda e: e.chit_chat.accuracy,
    "chit_chat_ece": lambda e: e.chit_chat.ece,
    "accuracy": lambda e: e.accuracy,
    "macro_f1": lambda e: e.macro_f1,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The first minus the second classifier, with the 2.5 % and 97.5 % points of the drawn differences."""

    difference: float
    low: float
    high: float


def bootstrap_differences(
    rows: Sequence[LabelledQuestion],
    first: Sequence[IntentPrediction],
    second: Sequence[IntentPrediction],
    *,
    alphas: tuple[float | Floats, float | Floats] = (0.5, 0.5),
    draws: int = 1000,
    seed: int = 0,
) -> dict[str, Interval]:
    """An interval for each of `FIGURES`; one that is undefined on the rows themselves is left out.

    Each draw takes as many sessions as there are, with repetition, and all rows of each; both classifiers
    are measured on the same draw. Draws where a figure is undefined do not count for that figure.
    """
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.session_id, []).append(place)
    sessions = [np.array(found) for found in places.values()]
    random = np.random.default_rng(seed)

    pair = [
        judge(rows, predictions, alpha) for predictions, alpha in zip((first, second), alphas, strict=True)
    ]

    def measure(drawn: NDArray[np.int64]) -> dict[str, float]:
        one, other = (judged.take(drawn).measure() for judged in pair)
        values = {name: (figure(one), figure(other)) for name, figure in FIGURES.items()}
        return {name: a - b for name, (a, b) in values.items() if a is not None and b is not None}

    real = measure(np.arange(len(rows)))
    drawn = [
        measure(np.concatenate([sessions[n] for n in random.integers(0, len(sessions), len(sessions))]))
        for _ in range(draws)
    ]
    intervals = {}
    for name, difference in real.items():
        low, high = np.percentile([one[name] for one in drawn if name in one], (2.5, 97.5))
        intervals[name] = Interval(difference=difference, low=float(low), high=float(high))
    return intervals
