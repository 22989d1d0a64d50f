"""The model and its ALBERT alone against the regression, on groups of held-out rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.intent.calibration import Floats, choose_alpha_crosswise
from lab.intent.evaluation import compare
from lab.intent.intervals import bootstrap_differences
from lab.intent.labels import LabelledData, LabelledQuestion
from lab.intent.report import Comparison
from vta.types.questions import CHIT_CHAT_LABELS, IntentPrediction

ByModel = tuple[Sequence[IntentPrediction], Sequence[IntentPrediction], Sequence[IntentPrediction]]
"""Of the whole model, of its ALBERT alone, of the regression."""

_RICHEST = 2
_DRAWS = 1000


def compare_groups(
    sources: Sequence[LabelledData],
    predictions: ByModel,
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
    alphas = tuple(np.zeros(len(rows)) for _ in predictions)
    for source in sources:
        places = np.flatnonzero(names == source.name).tolist()
        for alpha, own in zip(alphas, predictions, strict=True):
            alpha[places] = choose_alpha_crosswise(source.rows, [own[n] for n in places])
    return tuple(_compare(name, chosen, rows, predictions, alphas) for name, chosen in groups if chosen.any())


def _compare(
    name: str,
    chosen: NDArray[np.bool_],
    rows: Sequence[LabelledQuestion],
    predictions: ByModel,
    alphas: tuple[Floats, ...],
) -> Comparison:
    places = np.flatnonzero(chosen).tolist()
    kept = [rows[place] for place in places]
    model, albert, regression = (
        ([one[place] for place in places], alpha[places])
        for one, alpha in zip(predictions, alphas, strict=True)
    )
    intervals, albert_intervals = (
        bootstrap_differences(kept, one[0], regression[0], alphas=(one[1], regression[1]), draws=_DRAWS)
        for one in (model, albert)
    )
    return Comparison(
        name=name,
        model=compare(kept, model[0], alpha=model[1]),
        albert=compare(kept, albert[0], alpha=albert[1]),
        regression=compare(kept, regression[0], alpha=regression[1]),
        intervals=intervals,
        albert_intervals=albert_intervals,
    )


def _find_rich_sessions(rows: Sequence[LabelledQuestion]) -> set[str]:
    counts = Counter(row.session_id for row in rows if row.label in CHIT_CHAT_LABELS)
    return {session for session, _ in counts.most_common(_RICHEST)}
