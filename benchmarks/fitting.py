"""The fit of a logistic regression, and the file of weights that `vta.scoring.linear` reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]


def fit_logistic(x: Floats, right: NDArray[np.bool_], share: Floats, *, ridge: float) -> Floats:
    """b and w of the rows of features x, each counting `share`, with ridge / 2 * |w|^2 as penalty."""
    model = LogisticRegression(C=1 / ridge, solver="newton-cholesky", tol=1e-8, max_iter=1000)
    model.fit(x, right, sample_weight=share)
    return np.append(model.intercept_, model.coef_[0])


def write_weights(file: Path, *, made_by: str, digits: int, **tables: Mapping[str, float]) -> None:
    """The tables by their names; the one called `weights` stands alone, without its name."""
    lines = [f"# Made by `python -m benchmarks {made_by} --write`"]
    for title, table in tables.items():
        lines += [] if title == "weights" else ["", f"[{title}]"]
        lines += [f"{name} = {round(float(value), digits)}" for name, value in table.items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
