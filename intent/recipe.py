"""The recipe of one model, the same for a measured fold and for the weights that are shipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from intent.baseline import fit_regression
from intent.checkpoints import Checkpoints
from intent.fitting import finetune, pretrain
from intent.labels import LABELS, LabelledQuestion, to_turns
from intent.optimising import Stage
from intent.settings import TrainingSettings
from intent.splits import fold_sessions
from intent.starting import Start

if TYPE_CHECKING:
    from transformers import AlbertForSequenceClassification

_TEACHER_FOLDS = 5


def learn(
    rows: Sequence[LabelledQuestion],
    start: Start,
    settings: TrainingSettings,
    seed: int,
    title: str,
    checkpoints: Checkpoints,
) -> AlbertForSequenceClassification:
    """From a start to a classifier: adapt it to the rows' questions, then fit their classes."""
    encoder, config, body = start.encoder, start.config, start.body
    if settings.adaptation_epochs:
        questions = {(row.question, row.previous): row for row in rows}.values()
        stage = Stage(
            name=f"{title}, adaptation",
            epochs=settings.adaptation_epochs,
            learning_rate=settings.adaptation_rate,
            seed=seed,
            batch=settings.batch,
        )
        turns = [replace(turn, course="") for turn in to_turns(list(questions))]
        body = pretrain(turns, encoder, config, settings, stage, body=body, checkpoints=checkpoints)
    stage = Stage(
        name=f"{title}, classes",
        epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        seed=seed,
        batch=settings.batch,
        average_share=settings.average_share,
    )
    teacher = teach_crosswise(rows, seed) if settings.teacher_share else None
    return finetune(
        rows, encoder, config, settings, stage, body=body, teacher=teacher, checkpoints=checkpoints
    )


def teach_crosswise(rows: Sequence[LabelledQuestion], seed: int) -> NDArray[np.float64]:
    """The n-gram regression's probabilities, rows x labels, each from the other folds of these sessions."""
    folds = np.array(fold_sessions(rows, _TEACHER_FOLDS, seed))
    targets = np.zeros((len(rows), len(LABELS)))
    for fold in range(_TEACHER_FOLDS):
        places = np.flatnonzero(folds == fold).tolist()
        rest = [row for row, number in zip(rows, folds, strict=True) if number != fold]
        for place, prediction in zip(
            places, fit_regression(rest, seed)([rows[place] for place in places]), strict=True
        ):
            targets[place] = [prediction.probabilities[label] for label in LABELS]
    return targets
