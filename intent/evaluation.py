"""How good an intent classifier is on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from intent.labels import LABELS, LabelledQuestion
from intent.metrics import (
    count_confusion,
    expected_calibration_error,
    macro_f1,
    precision_recall_f1,
    roc_auc,
)
from vta.errors import InvalidInput
from vta.ports import IntentClassifier
from vta.types import CHIT_CHAT_LABELS, IntentLabel, IntentPrediction

JsonValue = Mapping[str, "JsonValue"] | float | int | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChitChatFigures:
    """Chit-chat against questions at h > alpha, rows of class `other` left out; None: undefined."""

    n: int
    precision: float | None
    recall: float | None
    f1: float | None
    auc: float | None
    accuracy: float | None
    ece: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Six-way figures over all rows; `ece` is that of the top label, `confusion` is true -> predicted."""

    n: int
    accuracy: float
    macro_f1: float | None
    chit_chat: ChitChatFigures
    ece: float | None
    confusion: Mapping[IntentLabel, Mapping[IntentLabel, int]]

    def to_json(self) -> dict[str, JsonValue]:
        """The object that `vta intent evaluate --json` prints."""
        binary = self.chit_chat
        return {
            "n": self.n,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "chit_chat": {
                "precision": binary.precision,
                "recall": binary.recall,
                "f1": binary.f1,
                "auc": binary.auc,
            },
            "ece": self.ece,
            "confusion": {
                true.value: {predicted.value: count for predicted, count in row.items()}
                for true, row in self.confusion.items()
            },
        }


def evaluate(
    classifier: IntentClassifier, rows: Sequence[LabelledQuestion], *, alpha: float = 0.5
) -> Evaluation:
    """Ask the classifier for every row and compare; `InvalidInput` when there is no row."""
    predictions = [classifier.predict(row.question, previous=row.previous, course=row.course) for row in rows]
    return compare(rows, predictions, alpha=alpha)


def compare(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction], *, alpha: float = 0.5
) -> Evaluation:
    """The figures of predictions given in the order of the rows."""
    if not rows:
        raise InvalidInput("no labelled question to evaluate on")
    numbers = {label: number for number, label in enumerate(LABELS)}
    true = np.array([numbers[row.label] for row in rows])
    predicted = np.array([numbers[prediction.label] for prediction in predictions])
    confidence = np.array([prediction.probabilities[prediction.label] for prediction in predictions])
    confusion = count_confusion(true, predicted, len(LABELS))
    return Evaluation(
        n=len(rows),
        accuracy=float(np.mean(true == predicted)),
        macro_f1=macro_f1(confusion),
        chit_chat=_compare_chit_chat(rows, predictions, alpha),
        ece=expected_calibration_error(confidence, true == predicted),
        confusion={
            label: {other: int(confusion[numbers[label], numbers[other]]) for other in LABELS}
            for label in LABELS
        },
    )


def _compare_chit_chat(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction], alpha: float
) -> ChitChatFigures:
    kept = [
        (row.label in CHIT_CHAT_LABELS, prediction.chit_chat)
        for row, prediction in zip(rows, predictions, strict=True)
        if row.label is not IntentLabel.OTHER
    ]
    true = np.array([is_chat for is_chat, _ in kept], dtype=np.bool_)
    scores = np.array([h for _, h in kept], dtype=np.float64)
    precision, recall, f1 = precision_recall_f1(true, scores > alpha)
    return ChitChatFigures(
        n=len(kept),
        precision=precision,
        recall=recall,
        f1=f1,
        auc=roc_auc(true, scores),
        accuracy=float(np.mean((scores > alpha) == true)) if kept else None,
        ece=expected_calibration_error(scores, true),
    )
