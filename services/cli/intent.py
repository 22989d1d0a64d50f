"""`vta intent predict`; what trains and measures a model is added by the lab."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intent.albert import AlbertIntentClassifier
from services.cli.output import read_lines, show_json

intent_app = typer.Typer(
    help='The intent classifier. Example: echo \'{"question": "什么是栈？"}\' | vta intent predict',
    no_args_is_help=True,
)

Model = Annotated[Path | None, typer.Option("--model", help="Folder of a trained model [the shipped one].")]


def register(app: typer.Typer) -> None:
    app.add_typer(intent_app, name="intent")


@intent_app.command("predict")
def predict_intents(model: Model = None) -> None:
    """Predict intents: JSON Lines {"question", "previous", "course"} on stdin, one prediction per line.

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
                "other_task": prediction.other_task,
            }
        )
