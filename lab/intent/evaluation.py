"""How good an intent classifier is on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion
from lab.intent.metrics import (
    count_confusion,
    expected_calibration_error,
    macro_f1,
    precision_recall_f1,
)
from lab.measures.metrics import roc_auc
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import IntentClassifier
from vta.types.questions import CHIT_CHAT_LABELS, IntentLabel, IntentPrediction

Floats = NDArray[np.float64]
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
        told = ("precision", "recall", "f1", "auc")
        confusion: dict[str, JsonValue] = {
            true.value: {predicted.value: count for predicted, count in row.items()}
            for true, row in self.confusion.items()
        }
        chit_chat: dict[str, JsonValue] = {name: getattr(self.chit_chat, name) for name in told}
        return {**asdict(self), "chit_chat": chit_chat, "confusion": confusion}


def evaluate(classifier: IntentClassifier, rows: Sequence[LabelledQuestion]) -> Evaluation:
    """Ask the classifier for every row and compare; `InvalidInput` when there is no row."""
    predictions = [classifier.predict(row.question, previous=row.previous, course=row.course) for row in rows]
    return compare(rows, predictions)


def compare(
    rows: Sequence[LabelledQuestion],
    predictions: Sequence[IntentPrediction],
    *,
    alpha: float | Floats = 0.5,
) -> Evaluation:
    """The figures of predictions given in the order of the rows; alpha may be one for each row."""
    if not rows:
        raise InvalidInput(Fault("intent.nothing_to_evaluate"))
    true = np.array([LABELS.index(row.label) for row in rows])
    predicted = np.array([LABELS.index(prediction.label) for prediction in predictions])
    confidence = np.array([prediction.probabilities[prediction.label] for prediction in predictions])
    chit_chat = np.array([prediction.chit_chat for prediction in predictions])
    right = true == predicted
    confusion = count_confusion(true, predicted, len(LABELS))
    return Evaluation(
        n=len(rows),
        accuracy=float(np.mean(right)),
        macro_f1=macro_f1(confusion),
        chit_chat=_measure_chit_chat(true, chit_chat, chit_chat > alpha),
        ece=expected_calibration_error(confidence, right),
        confusion={
            label: dict(zip(LABELS, counts, strict=True))
            for label, counts in zip(LABELS, confusion.tolist(), strict=True)
        },
    )


def _measure_chit_chat(
    labels: NDArray[np.int64], scores: Floats, taken: NDArray[np.bool_]
) -> ChitChatFigures:
    kept = labels != LABELS.index(IntentLabel.OTHER)
    true = np.isin(labels, [LABELS.index(label) for label in CHIT_CHAT_LABELS])[kept]
    scores, taken = scores[kept], taken[kept]
    precision, recall, f1 = precision_recall_f1(true, taken)
    return ChitChatFigures(
        n=len(true),
        precision=precision,
        recall=recall,
        f1=f1,
        auc=roc_auc(true, scores),
        accuracy=float(np.mean(taken == true)) if len(true) else None,
        ece=expected_calibration_error(scores, true),
    )
