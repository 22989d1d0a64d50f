"""`vta intent train`, `calibrate`, `evaluate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from intent.albert import AlbertIntentClassifier
from lab.cli.evaluation_data import show_figures
from lab.intent.calibration import calibrate_alpha
from lab.intent.evaluation import evaluate
from lab.intent.labels import read_labelled, to_turns
from services.cli.classifiers import Model
from services.cli.output import Json, show, show_json

Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="JSON Lines {id, question, session_id, category}.")
]


def train_model(
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder for the weights and the model card.")],
    seed: Annotated[int, typer.Option(help="Random seed.")] = 7,
    pretrain: Annotated[
        list[Path] | None,
        typer.Option(help="File or folder of unlabelled text to pre-train on; repeatable."),
    ] = None,
) -> None:
    """Train ALBERT: measure on session-wise folds, fit on all rows, export; prints the figures of the folds.

    A row may have a `weight`, for example for a correction.

    Example: vta intent train data.jsonl --out my-intent --pretrain course-texts --seed 7
    """
    from lab.intent.training import train

    show_json(train(data, out, seed=seed, pretrain=pretrain or ()).to_json())


def calibrate_model(
    data: Data,
    model: Model = None,
    max_lost: Annotated[
        float, typer.Option(help="Accepted share of real questions taken for chit-chat.")
    ] = 0.02,
    as_json: Json = False,
) -> None:
    """Find the lowest alpha that loses few real questions, on labelled rows not used for training.

    Example: vta intent calibrate data.jsonl --max-lost 0.02 --json
    """
    rows = read_labelled(data).rows
    choice = calibrate_alpha(
        rows, AlbertIntentClassifier.load(model).predict_many(to_turns(rows)), max_lost=max_lost
    )
    if as_json:
        show_json(
            {**asdict(choice.chosen), "n": len(rows), "curve": [asdict(point) for point in choice.curve]}
        )
        return
    show(f"alpha {choice.chosen.alpha:.2f} (VTA_ALPHA): loses {choice.chosen.lost:.1%} of the questions")
    show(f"and catches {choice.chosen.caught:.1%} of the chit-chat")


def evaluate_model(data: Data, model: Model = None, as_json: Json = False) -> None:
    """Measure a model on labelled questions. Example: vta intent evaluate data.jsonl --json"""
    figures = evaluate(AlbertIntentClassifier.load(model), read_labelled(data).rows).to_json()
    show_figures(figures, as_json=as_json)
