"""Temperature of the outputs, and alpha: what h must exceed to be taken for chit-chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from intent.albert import soften
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion
from lab.intent.metrics import precision_recall_f1
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.questions import CHIT_CHAT_LABELS, IntentLabel, IntentPrediction

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
_TEMPERATURES = np.exp(np.linspace(np.log(0.25), np.log(4.0), 161))
_ALPHAS = np.round(np.linspace(0.0, 1.0, 101), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaPoint:
    """At h > alpha: the share of real questions lost, and of chit-chat caught."""

    alpha: float
    lost: float
    caught: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaChoice:
    """The chosen point, and the whole curve, alpha rising from 0 to 1."""

    chosen: AlphaPoint
    curve: tuple[AlphaPoint, ...]


def calibrate_alpha(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction], *, max_lost: float = 0.02
) -> AlphaChoice:
    """The least alpha of 0.00, 0.01, ... that loses at most `max_lost` of the real questions.

    Rows of class `other` count on neither side; `InvalidInput` where there is no question or no chit-chat.
    """
    if not 0 <= max_lost < 1:
        raise InvalidInput(Fault("intent.max_lost", share=max_lost), field="max_lost")
    is_chat, scores = select_chit_chat(rows, predictions)
    if not is_chat.any() or is_chat.all():
        raise InvalidInput(Fault("intent.one_sided"), field="category")
    curve = tuple(
        AlphaPoint(
            alpha=float(alpha),
            lost=float(np.mean(scores[~is_chat] > alpha)),
            caught=float(np.mean(scores[is_chat] > alpha)),
        )
        for alpha in _ALPHAS
    )
    return AlphaChoice(chosen=next(point for point in curve if point.lost <= max_lost), curve=curve)


def choose_alpha_crosswise(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction]
) -> Floats:
    """For each row the alpha of highest chit-chat F1 on the other half of the sessions."""
    half = _halve(rows)
    alphas = np.full(len(rows), 0.5)
    for side in (0, 1):
        other = np.flatnonzero(half != side).tolist()
        is_chat, scores = select_chit_chat([rows[n] for n in other], [predictions[n] for n in other])
        if is_chat.any():
            f1 = [precision_recall_f1(is_chat, scores > alpha)[2] or 0.0 for alpha in _ALPHAS]
            alphas[half == side] = _ALPHAS[int(np.argmax(f1))]
    return alphas


def select_chit_chat(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction]
) -> tuple[Booleans, Floats]:
    """Whether it is chit-chat, and h, of the rows that are not of class `other`."""
    kept = [
        (row.label in CHIT_CHAT_LABELS, prediction.chit_chat)
        for row, prediction in zip(rows, predictions, strict=True)
        if row.label is not IntentLabel.OTHER
    ]
    return np.array([chat for chat, _ in kept], dtype=np.bool_), np.array([h for _, h in kept])


def fit_temperature(logits: Floats, rows: Sequence[LabelledQuestion]) -> float:
    """The T in 0.25..4 that minimises the mean of -log softmax(logits / T)[y]."""
    true = np.array([LABELS.index(row.label) for row in rows])
    picked = np.arange(len(rows))

    def loss(temperature: float) -> float:
        return float(-np.log(soften(logits, temperature)[picked, true] + 1e-12).mean())

    return float(min(_TEMPERATURES, key=loss))


def calibrate_crosswise(logits: Floats, rows: Sequence[LabelledQuestion]) -> Floats:
    """Probabilities where each half of the sessions uses the temperature fitted on the other half.

    So a calibration error measured on them is not measured on rows the temperature was chosen by.
    """
    half = _halve(rows)
    probabilities = np.empty_like(logits)
    for side in (0, 1):
        other = [row for row, number in zip(rows, half, strict=True) if number != side]
        temperature = fit_temperature(logits[half != side], other) if other else 1.0
        probabilities[half == side] = soften(logits[half == side], temperature)
    return probabilities


def _halve(rows: Sequence[LabelledQuestion]) -> NDArray[np.int64]:
    sessions = {name: number for number, name in enumerate(sorted({row.session_id for row in rows}))}
    return np.array([sessions[row.session_id] % 2 for row in rows])
