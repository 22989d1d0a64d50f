"""`vta intent predict`, `vta guard`: what the shipped classifiers say, and which turns the guard flagged."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from services.cli.output import CourseArgument, Home, Json, group, read_lines, show, show_json, stores
from vta.types.courses import CourseId

guard_app = group('The guard. Example: echo \'{"text": "什么是栈？"}\' | vta guard check')

Model = Annotated[Path | None, typer.Option("--model", help="Folder of a trained model [the shipped one].")]


def predict_intents(model: Model = None) -> None:
    """Predict intents: JSON Lines {"question", "previous", "course"} on stdin, one prediction per line.

    Example: echo '{"question": "什么是栈？"}' | vta intent predict
    """
    from intent.albert import AlbertIntentClassifier

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


@guard_app.command("check")
def check_texts(as_json: Json = False) -> None:
    """Check texts for attacks: JSON Lines {"text"} on stdin, JSON Lines on stdout.

    Example: echo '{"text": "什么是栈？"}' | vta guard check
    """
    from intent.guard.detector import NgramGuard

    guard = NgramGuard.load()
    for row in read_lines("text"):
        found = guard.inspect(str(row["text"]))
        show_json({"malicious": found.malicious, "flag": found.flag, "kind": found.kind})


@guard_app.command("audit")
def audit(course: CourseArgument, home: Home = None, as_json: Json = False) -> None:
    """List a course's flagged questions, which no language model saw. Example: `vta guard audit ds`."""
    with stores(home) as (store, _):
        store.courses.course(CourseId(course))
        flagged = store.audit.of_course(CourseId(course))
    for turn in flagged:
        if as_json:
            show_json(asdict(turn))
        else:
            show(f"{turn.created_at:%Y-%m-%d %H:%M}\t{turn.kind}\t{turn.malicious:.2f}\t{turn.question}")
