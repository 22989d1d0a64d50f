"""Session-wise folds: every row judged by models that saw neither its session nor its label."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from intent.albert import AlbertIntentClassifier, ModelConfig, mix
from intent.wide import LABELS
from lab.intent.export import export
from lab.intent.fitting import infer
from lab.intent.labels import LabelledQuestion, to_turns
from lab.intent.ngram_fitting import fit_wide
from lab.intent.recipe import learn
from lab.intent.settings import TrainingSettings
from lab.intent.splits import fold_sessions
from lab.intent.starting import Start

Floats = NDArray[np.float64]
Begin = Callable[[Sequence[LabelledQuestion]], Start]
"""What a model fitted on these rows starts from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedPredictions:
    """For each row, from the fold that held it out: logits (rows x labels) of the whole model, of its ALBERT
    alone and of the whole with the ALBERT as int8.
    """

    rows: tuple[LabelledQuestion, ...]
    logits: Floats
    albert: Floats
    quantised: Floats


def cross_validate(
    sources: Sequence[Sequence[LabelledQuestion]],
    begin: Begin,
    settings: TrainingSettings,
    seed: int,
) -> FoldedPredictions:
    """Fold each source by its own sessions, fit on the rest of all sources, predict what was held out."""
    rows = [row for source in sources for row in source]
    folds = np.array([number for source in sources for number in fold_sessions(source, settings.folds, seed)])
    logits, albert, quantised = (np.zeros((len(rows), len(LABELS))) for _ in range(3))
    for fold in range(settings.folds):
        training = [row for row, number in zip(rows, folds, strict=True) if number != fold]
        places = np.flatnonzero(folds == fold).tolist()
        held = [rows[place] for place in places]
        start = begin(training)
        model = learn(training, start, settings, seed, f"fold {fold + 1}")
        wide = fit_wide(training) if settings.ngram_share else None
        turns = to_turns(held)
        albert[places] = infer(model, start.encoder, turns)
        logits[places] = mix(
            albert[places], None if wide is None else wide.outputs(turns), settings.ngram_share
        )
        config = ModelConfig(
            labels=LABELS,
            max_length=settings.max_length,
            temperature=1.0,
            ngram_share=settings.ngram_share,
        )
        with tempfile.TemporaryDirectory() as folder:
            export(model, start.encoder, config, Path(folder), turns, wide=wide)
            quantised[places] = AlbertIntentClassifier.load(Path(folder)).logits(turns)
    return FoldedPredictions(
        rows=tuple(rows),
        logits=logits,
        albert=albert,
        quantised=quantised,
    )
