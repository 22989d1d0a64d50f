"""`vta evaluate intent`, `vta evaluate graph`: the classifier, and the prerequisites in a course's texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from concept_graph.prerequisites.signals import THRESHOLD
from intent.albert import AlbertIntentClassifier
from lab.cli.evaluation_data import DataOption, DataPath, Seed, given_data, show_figures
from lab.evaluation.rows import data_hash
from lab.intent.evaluation import evaluate
from lab.intent.labels import read_labelled
from lab.measures.judged_pairs import Interval, measure_pairs
from services.cli.graph import COLUMNS, line_fault, read_columns
from services.cli.output import CourseArgument, Home, Json, platform
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId

LABEL = "label"


def register_course_suites(evaluate_app: typer.Typer) -> None:
    """Add the suites to those of `vta evaluate`."""
    evaluate_app.command("intent")(evaluate_intent)
    evaluate_app.command("graph")(evaluate_graph)


def evaluate_intent(
    path: DataPath = None,
    data: DataOption = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Folder of a trained model [the shipped one].")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure the intent model: accuracy, macro F1, chit-chat, calibration error, confusion.

    DATA: JSON Lines {id, question, session_id, category}. Example: vta evaluate intent data.jsonl --json
    """
    file = given_data(path, data)
    figures = evaluate(AlbertIntentClassifier.load(model), read_labelled(file).rows).to_json()
    show_figures({"suite": "intent", "data_sha256": data_hash([file]), **figures}, as_json=as_json)


def evaluate_graph(
    course: CourseArgument,
    path: DataPath = None,
    data: DataOption = None,
    seed: Seed = 0,
    home: Home = None,
    as_json: Json = False,
) -> None:
    """Compare judged prerequisite pairs with the scores of a course's texts: AUC, F1, direction.

    PATH: a table (TSV) with the columns concept_a, concept_b and label, which is 1 where a comes before b.
    Pairs with a name that does not occur in the texts have no score and count only in `pairs`.
    Example: vta evaluate graph ds pairs.tsv --json
    """
    file = given_data(path, data)
    judged = read_labelled_pairs(file)
    both = [*((a, b) for a, b, _ in judged), *((b, a) for a, b, _ in judged)]
    with platform(home) as vta:
        scores = vta.graphs.score_pairs(CourseId(course), both)
    scored = [
        (own, other, label)
        for own, other, (_, _, label) in zip(
            scores[: len(judged)], scores[len(judged) :], judged, strict=True
        )
        if own is not None and other is not None
    ]
    if not scored:
        raise InvalidInput(Fault("data.no_known_pair", file=str(file), course=course), path=str(file))
    own, other, labels = zip(*scored, strict=True)
    figures = measure_pairs(np.array(own), np.array(other), np.array(labels), threshold=THRESHOLD, seed=seed)
    told = {
        "auc": _figure(figures.auc, figures.auc_interval),
        "f1": _figure(figures.f1, figures.f1_interval),
        "f1_best": round(figures.f1_best, 4),
        "direction": _figure(figures.direction, figures.direction_interval),
        "brier": round(figures.brier, 4),
    }
    counts = {"pairs": len(judged), "n": figures.n, "positive": figures.positive}
    row = {"suite": "graph", "course": course, **counts, "seed": seed, "threshold": THRESHOLD}
    show_figures({**row, "data_sha256": data_hash([file]), **told}, as_json=as_json)


def _figure(value: float | None, interval: Interval | None) -> dict[str, object] | None:
    if value is None or interval is None:
        return None
    return {"value": round(value, 4), "interval_95": [round(edge, 4) for edge in interval]}


def read_labelled_pairs(file: Path) -> tuple[tuple[str, str, bool], ...]:
    """As `read_concept_pairs`, with a further column `LABEL`: 1 where a is a prerequisite of b, else 0."""
    return tuple(
        (a, b, _label(label, file, number)) for number, (a, b, label) in read_columns(file, (*COLUMNS, LABEL))
    )


def _label(text: str, file: Path, line: int) -> bool:
    if text not in ("0", "1"):
        raise line_fault(file, line, LABEL, Fault("data.not_a_label", column=LABEL))
    return text == "1"
