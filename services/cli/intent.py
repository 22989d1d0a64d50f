"""`vta intent`: predict, train, evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.albert import AlbertIntentClassifier
from intent.evaluation import evaluate
from intent.labels import read_labelled
from services.cli.output import Json, read_lines, show, show_json

intent_app = typer.Typer(
    help="The intent classifier. Example: vta intent evaluate data.jsonl --json", no_args_is_help=True
)

Model = Annotated[
    Path | None, typer.Option("--model", help="Folder of a trained model; the shipped one when left out.")
]
Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="JSON Lines {id, question, session_id, category}.")
]


def register(app: typer.Typer) -> None:
    app.add_typer(intent_app, name="intent")


@intent_app.command("predict")
def predict_intents(model: Model = None) -> None:
    """Read JSON Lines {"question", "previous", "course"} on stdin and print a prediction each.

    Example: echo '{"question": "什么是栈？"}' | vta intent predict
    """
    classifier = AlbertIntentClassifier.load(model)
    for row in read_lines("question"):
        previous, course = row.get("previous") or "", row.get("course") or ""
        prediction = classifier.predict(str(row["question"]), previous=str(previous), course=str(course))
        probabilities = {str(label): p for label, p in prediction.probabilities.items()}
        show_json(
            {
                "label": str(prediction.label),
                "chit_chat": prediction.chit_chat,
                "probabilities": probabilities,
            }
        )


@intent_app.command("train")
def train_model(
    data: Data,
    out: Annotated[Path, typer.Option(help="Folder for the weights and the model card.")],
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """Train ALBERT from scratch and export it; prints the figures of the session-wise held-out part.

    Example: vta intent train data.jsonl --out my-intent --seed 7
    """
    from intent.training import train

    show_json(train(data, out, seed=seed).to_json())


@intent_app.command("evaluate")
def evaluate_model(data: Data, model: Model = None, as_json: Json = False) -> None:
    """Measure a model on labelled questions. Example: vta intent evaluate data.jsonl --json"""
    figures = evaluate(AlbertIntentClassifier.load(model), read_labelled(data).rows).to_json()
    if as_json:
        show_json(figures)
        return
    for name, value in figures.items():
        show(f"{name}: {value}")
