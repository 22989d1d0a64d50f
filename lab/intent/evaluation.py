"""How good an intent classifier is on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """Of n rows: true and predicted class, P of the predicted one, h, and the alpha it is cut at."""

    true: NDArray[np.int64]
    predicted: NDArray[np.int64]
    confidence: Floats
    chit_chat: Floats
    alpha: Floats

    def take(self, places: NDArray[np.int64]) -> Judgements:
        """The rows at these places, which may repeat."""
        return Judgements(
            true=self.true[places],
            predicted=self.predicted[places],
            confidence=self.confidence[places],
            chit_chat=self.chit_chat[places],
            alpha=self.alpha[places],
        )

    def measure(self) -> Evaluation:
        """The figures of all rows."""
        right = self.true == self.predicted
        confusion = count_confusion(self.true, self.predicted, len(LABELS))
        counts = confusion.tolist()
        return Evaluation(
            n=len(right),
            accuracy=float(np.mean(right)),
            macro_f1=macro_f1(confusion),
            chit_chat=self._measure_chit_chat(),
            ece=expected_calibration_error(self.confidence, right),
            confusion={
                label: dict(zip(LABELS, row, strict=True)) for label, row in zip(LABELS, counts, strict=True)
            },
        )

    def _measure_chit_chat(self) -> ChitChatFigures:
        kept = self.true != LABELS.index(IntentLabel.OTHER)
        true = np.isin(self.true, [LABELS.index(label) for label in CHIT_CHAT_LABELS])[kept]
        scores = self.chit_chat[kept]
        taken = scores > self.alpha[kept]
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


def evaluate(
    classifier: IntentClassifier, rows: Sequence[LabelledQuestion], *, alpha: float = 0.5
) -> Evaluation:
    """Ask the classifier for every row and compare; `InvalidInput` when there is no row."""
    predictions = [classifier.predict(row.question, previous=row.previous, course=row.course) for row in rows]
    return compare(rows, predictions, alpha=alpha)


def compare(
    rows: Sequence[LabelledQuestion],
    predictions: Sequence[IntentPrediction],
    *,
    alpha: float | Floats = 0.5,
) -> Evaluation:
    """The figures of predictions given in the order of the rows; alpha may be one for each row."""
    if not rows:
        raise InvalidInput(Fault("intent.nothing_to_evaluate"))
    return judge(rows, predictions, alpha).measure()


def judge(
    rows: Sequence[LabelledQuestion], predictions: Sequence[IntentPrediction], alpha: float | Floats = 0.5
) -> Judgements:
    """Rows and predictions as arrays, to be measured as a whole or in part."""
    numbers = {label: number for number, label in enumerate(LABELS)}
    return Judgements(
        true=np.array([numbers[row.label] for row in rows]),
        predicted=np.array([numbers[prediction.label] for prediction in predictions]),
        confidence=np.array([prediction.probabilities[prediction.label] for prediction in predictions]),
        chit_chat=np.array([prediction.chit_chat for prediction in predictions]),
        alpha=np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(rows)),
    )
