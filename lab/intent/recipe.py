"""The recipe of one model, the same for a measured fold and for the weights that are shipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lab.intent.fitting import finetune, pretrain
from lab.intent.labels import LabelledQuestion, to_turns
from lab.intent.optimising import Stage
from lab.intent.settings import TrainingSettings
from lab.intent.starting import Start

if TYPE_CHECKING:
    from transformers import AlbertForSequenceClassification


def learn(
    rows: Sequence[LabelledQuestion],
    start: Start,
    settings: TrainingSettings,
    seed: int,
    title: str,
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
        body = pretrain(turns, encoder, config, settings, stage, body=body)
    stage = Stage(
        name=f"{title}, classes",
        epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        seed=seed,
        batch=settings.batch,
        average_share=settings.average_share,
    )
    return finetune(rows, encoder, config, settings, stage, body=body)
