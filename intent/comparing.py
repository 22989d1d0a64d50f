"""The ALBERT against the regression on groups of held-out rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from intent.calibration import Floats, choose_alpha_crosswise
from intent.evaluation import compare
from intent.intervals import bootstrap_differences
from intent.labels import LabelledData, LabelledQuestion
from intent.report import Comparison
from vta.types import CHIT_CHAT_LABELS, IntentPrediction

_RICHEST = 2
_DRAWS = 1000


def compare_groups(
    sources: Sequence[LabelledData],
    albert: Sequence[IntentPrediction],
    regression: Sequence[IntentPrediction],
    known: NDArray[np.bool_],
) -> tuple[Comparison, ...]:
    """Each source; of the first also the rows of unknown text, and those outside its two sessions that
    hold most chit-chat. Predictions and `known` stand in the order of the rows of all sources.
    """
    groups: list[tuple[str, NDArray[np.bool_]]] = []
    names = np.array([source.name for source in sources for _ in source.rows])
    rows = [row for source in sources for row in source.rows]
    for number, source in enumerate(sources):
        own = names == source.name
        groups.append((source.name, own))
        if number == 0:
            rich = _find_rich_sessions(source.rows)
            groups.append((f"{source.name}, text not in training part", own & ~known))
            outside = np.array([row.session_id not in rich for row in rows])
            groups.append((f"{source.name}, without the {_RICHEST} richest in chit-chat", own & outside))
    alphas = [np.zeros(len(rows)), np.zeros(len(rows))]
    for source in sources:
        places = np.flatnonzero(names == source.name).tolist()
        for alpha, predictions in zip(alphas, (albert, regression), strict=True):
            alpha[places] = choose_alpha_crosswise(source.rows, [predictions[n] for n in places])
    return tuple(
        _compare(name, chosen, rows, (albert, regression), (alphas[0], alphas[1]))
        for name, chosen in groups
        if chosen.any()
    )


def _compare(
    name: str,
    chosen: NDArray[np.bool_],
    rows: Sequence[LabelledQuestion],
    predictions: tuple[Sequence[IntentPrediction], Sequence[IntentPrediction]],
    alphas: tuple[Floats, Floats],
) -> Comparison:
    places = np.flatnonzero(chosen).tolist()
    kept = [rows[place] for place in places]
    first, second = ([one[place] for place in places] for one in predictions)
    cuts = (alphas[0][places], alphas[1][places])
    return Comparison(
        name=name,
        albert=compare(kept, first, alpha=cuts[0]),
        regression=compare(kept, second, alpha=cuts[1]),
        intervals=bootstrap_differences(kept, first, second, alphas=cuts, draws=_DRAWS),
    )


def _find_rich_sessions(rows: Sequence[LabelledQuestion]) -> set[str]:
    counts = Counter(row.session_id for row in rows if row.label in CHIT_CHAT_LABELS)
    return {session for session, _ in counts.most_common(_RICHEST)}
