"""A plain n-gram logistic regression, the yardstick for the ALBERT; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from intent.albert import to_prediction
from intent.wide import LABELS
from lab.intent.labels import LabelledQuestion
from vta.types.questions import IntentPrediction

Regression = Callable[[Sequence[LabelledQuestion]], tuple[IntentPrediction, ...]]


def fit_regression(training: Sequence[LabelledQuestion], seed: int) -> Regression:
    """One six-way regression on the character n-grams of the question and of the turn before."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectorizer = TfidfVectorizer(analyzer=_cut_grams, sublinear_tf=True)
    regression = LogisticRegression(C=10, max_iter=1000, random_state=seed)
    regression.fit(
        vectorizer.fit_transform(training),
        [LABELS.index(row.label) for row in training],
        sample_weight=[row.weight for row in training],
    )

    def predict(rows: Sequence[LabelledQuestion]) -> tuple[IntentPrediction, ...]:
        probabilities = np.zeros((len(rows), len(LABELS)))
        probabilities[:, regression.classes_] = regression.predict_proba(vectorizer.transform(rows))
        return tuple(to_prediction(row) for row in probabilities)

    return predict


def _cut_grams(row: LabelledQuestion) -> Iterator[tuple[str, str]]:
    """1- to 4-grams of the question, 1- to 2-grams of the turn before, marked by where they stand."""
    for place, text, longest in (
        ("question", row.question.lower(), 4),
        ("previous", row.previous.lower(), 2),
    ):
        for size in range(1, longest + 1):
            for start in range(len(text) - size + 1):
                yield place, text[start : start + size]
