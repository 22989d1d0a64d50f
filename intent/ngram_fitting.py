"""Fitting the n-gram layer; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from intent.labels import LABELS, LabelledQuestion, to_turns
from intent.ngrams import NgramBranch, hash_ngrams

_STRENGTH = 10.0


def fit_ngrams(rows: Sequence[LabelledQuestion]) -> NgramBranch:
    """A multinomial logistic regression on tf-idf of the rows' n-grams, rows counted by their weights."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    found = [hash_ngrams(turn) for turn in to_turns(rows)]
    keys, places = np.unique(np.concatenate([own for own, _ in found]), return_inverse=True)
    counts = np.concatenate([often for _, often in found]).astype(np.float64)
    ends = np.cumsum([0, *(len(own) for own, _ in found)])
    table = csr_matrix((counts, places, ends), shape=(len(rows), len(keys)))
    weigher = TfidfTransformer(sublinear_tf=True)
    regression = LogisticRegression(C=_STRENGTH, max_iter=1000)
    regression.fit(
        weigher.fit_transform(table),
        [LABELS.index(row.label) for row in rows],
        sample_weight=[row.weight for row in rows],
    )
    weights = np.zeros((len(keys), len(LABELS)))
    bias = np.full(len(LABELS), -20.0)  # of a label that no row has
    weights[:, regression.classes_] = regression.coef_.T
    bias[regression.classes_] = regression.intercept_
    return NgramBranch(
        keys=keys,
        rarity=weigher.idf_.astype(np.float16),
        weights=weights.astype(np.float16),
        bias=bias.astype(np.float32),
    )
