"""Fitting the wide layer; needs scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.encoding import TurnText
from intent.ngrams import Keys, NgramBranch, hash_ngrams
from intent.wide import LABELS, WideLayer
from intent.words import WordBranch, cut_words, hash_word
from lab.intent.labels import LabelledQuestion, to_turns

_STRENGTH = 10.0
_ABSENT = -20.0
"""The bias of an output that no row has."""
_WORD_SCALE = 3.0
"""How long a word vector is beside a row of n-grams, which has length 1."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Turns that ask for a task which is not the course's, and turns that do not; each of the first counts
    `weight` times.
    """

    asked: Sequence[TurnText]
    not_asked: Sequence[TurnText]
    weight: float = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WordVectors:
    """Words with their vectors in the space of a sentence encoder, n x d."""

    words: Sequence[str]
    vectors: Floats


def fit_wide(
    rows: Sequence[LabelledQuestion],
    *,
    tasks: Tasks | None = None,
    words: WordVectors | None = None,
    least_texts: int = 1,
) -> WideLayer:
    """Two logistic regressions on the same features: the six labels, rows by their weights, and the task.

    The features are tf-idf of the n-grams that stand in at least `least_texts` texts, and the mean of the
    vectors of the question's words, each times its idf.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfTransformer

    asked, not_asked = ([], []) if tasks is None else (list(tasks.asked), list(tasks.not_asked))
    turns = [*to_turns(rows), *asked, *not_asked]
    found = [hash_ngrams(turn) for turn in turns]
    once = found[: len(rows) + len(asked)]  # who asks for no task is among the rows
    keys, texts = np.unique(np.concatenate([own for own, _ in once]), return_counts=True)
    keys = keys[texts >= least_texts]
    weigher = TfidfTransformer(sublinear_tf=True)
    features = weigher.fit_transform(_count(found, keys))
    space = None if words is None else _scale(words, turns)
    if space is not None:
        features = hstack([features, csr_matrix(_average(turns, space))]).tocsr()

    weights = np.zeros((features.shape[1], len(LABELS) + 1))
    bias = np.full(len(LABELS) + 1, _ABSENT)
    six, labels = len(rows), [LABELS.index(row.label) for row in rows]
    outputs, weights_found, bias_found = _regress(features[:six], labels, [row.weight for row in rows])
    weights[:, outputs], bias[outputs] = weights_found, bias_found
    if tasks is not None:
        is_task = [1] * len(asked) + [0] * len(not_asked)
        counted = [tasks.weight if task else 1.0 for task in is_task]
        _, task_weights, task_bias = _regress(features[six:], is_task, counted)
        weights[:, -1], bias[-1] = task_weights[:, -1], task_bias[-1]
    ngrams = NgramBranch(
        keys=keys,
        rarity=weigher.idf_.astype(np.float16),
        weights=weights[: len(keys)].astype(np.float16),
        bias=bias.astype(np.float32),
    )
    if space is None:
        return WideLayer(ngrams=ngrams)
    return WideLayer(ngrams=ngrams, words=_multiply_out(space, weights[len(keys) :]))


def _regress(
    features: Any, labels: Sequence[int], weights: Sequence[float]
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """The classes that occur, their weights (features x classes) and biases; two classes too have two."""
    from sklearn.linear_model import LogisticRegression

    regression = LogisticRegression(C=_STRENGTH, max_iter=1000, tol=1e-3)
    regression.fit(features, labels, sample_weight=weights)
    coefficients, intercepts = regression.coef_.T, regression.intercept_
    if len(regression.classes_) == 2:  # scikit-learn gives the second class alone
        coefficients = np.hstack([np.zeros_like(coefficients), coefficients])
        intercepts = np.array([0.0, *intercepts])
    return regression.classes_, coefficients, intercepts


def _count(found: Sequence[tuple[Keys, NDArray[np.int64]]], keys: Keys) -> Any:
    """Texts x keys, how often each occurs, as a sparse table."""
    from scipy.sparse import csr_matrix

    places = [np.minimum(np.searchsorted(keys, own), len(keys) - 1) for own, _ in found]
    known = [keys[place] == own for place, (own, _) in zip(places, found, strict=True)]
    ends = np.cumsum([0, *(int(one.sum()) for one in known)])
    columns = np.concatenate([place[one] for place, one in zip(places, known, strict=True)])
    counts = np.concatenate([often[one] for (_, often), one in zip(found, known, strict=True)])
    return csr_matrix((counts.astype(np.float64), columns, ends), shape=(len(found), len(keys)))


def _scale(words: WordVectors, turns: Sequence[TurnText]) -> dict[str, Floats]:
    """Each word's vector times its idf over the turns (the rarest 1), of length `_WORD_SCALE` on average."""
    texts = dict.fromkeys(words.words, 0)
    for turn in turns:
        for word in set(cut_words(turn.question)) & texts.keys():
            texts[word] += 1
    rarity = np.log(len(turns) / (1 + np.array([texts[word] for word in words.words])))
    length = np.linalg.norm(words.vectors, axis=1).mean()
    scaled = words.vectors * (_WORD_SCALE / length * rarity / rarity.max())[:, None]
    return dict(zip(words.words, scaled, strict=True))


def _average(turns: Sequence[TurnText], space: dict[str, Floats]) -> Floats:
    size = len(next(iter(space.values())))
    rows = np.zeros((len(turns), size))
    for row, turn in enumerate(turns):
        known = [space[word] for word in cut_words(turn.question) if word in space]
        if known:
            rows[row] = np.mean(known, axis=0)
    return rows


def _multiply_out(space: dict[str, Floats], weights: Floats) -> WordBranch:
    keys = np.array([hash_word(word) for word in space], dtype=np.uint64)
    table = np.array(list(space.values())) @ weights
    order = np.argsort(keys)
    return WordBranch(keys=keys[order], weights=table[order].astype(np.float16))
