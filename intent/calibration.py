"""Temperature scaling of the model's outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.albert import soften
from intent.labels import LABELS, LabelledQuestion

_TEMPERATURES = np.exp(np.linspace(np.log(0.25), np.log(4.0), 161))


def fit_temperature(logits: NDArray[np.float64], rows: Sequence[LabelledQuestion]) -> float:
    """The T in 0.25..4 that minimises the mean of -log softmax(logits / T)[y]."""
    true = np.array([LABELS.index(row.label) for row in rows])
    picked = np.arange(len(rows))

    def loss(temperature: float) -> float:
        return float(-np.log(soften(logits, temperature)[picked, true] + 1e-12).mean())

    return float(min(_TEMPERATURES, key=loss))


def calibrate_crosswise(logits: NDArray[np.float64], rows: Sequence[LabelledQuestion]) -> NDArray[np.float64]:
    """Probabilities where each half of the sessions uses the temperature fitted on the other half.

    So a calibration error measured on them is not measured on rows the temperature was chosen by.
    """
    sessions = {name: number for number, name in enumerate(sorted({row.session_id for row in rows}))}
    half = np.array([sessions[row.session_id] % 2 for row in rows])
    probabilities = np.empty_like(logits)
    for side in (0, 1):
        other = [row for row, number in zip(rows, half, strict=True) if number != side]
        temperature = fit_temperature(logits[half != side], other) if other else 1.0
        probabilities[half == side] = soften(logits[half == side], temperature)
    return probabilities
