"""Fitting the signal and measuring it without having seen what it is measured on; needs scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.guard.detector import KINDS, SETTINGS, WEIGHTS, NgramGuard
from intent.guard.marks import MARKS, mark
from intent.guard.spelling import unmask
from intent.ngrams import NgramBranch, hash_plain
from vta.scoring import pack

Floats = NDArray[np.float64]
OWN = "own"
"""The group of the texts that travel with the project: always trained on, never measured on."""
STRENGTH = 10.0
LOOK_ALIKE_WEIGHT = 3.0
MARK_SCALE = 0.15
"""How large a mark is beside the n-grams of a text, whose length is 1."""
RAREST = 2
"""In how many texts an n-gram must occur to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A text, the kind of attack it is (None for none), and the group that must stay together.

    `look_alike` texts are no attacks but use their words; `role` says which share of the figures it is in.
    """

    text: str
    kind: str | None
    group: str
    role: str
    look_alike: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What `fit` found: the layer of n-grams, and the weight of each mark."""

    layer: NgramBranch
    marks: Floats

    def logit(self, text: str) -> float:
        """The logit of an attack."""
        keys, counts, marks = _read(text)
        return float(self.layer.read(keys, counts)[0] + self.marks @ marks)


def own_texts() -> list[Labelled]:
    """The attacks and look-alikes written for this project."""
    folder = files("lab") / "data"
    attacks = (folder / "attacks.tsv").read_text(encoding="utf-8").splitlines()
    harmless = (folder / "look_alikes.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t", 1) for line in attacks]
    return [
        *(Labelled(text=text, kind=kind, group=OWN, role=OWN) for kind, text in rows),
        *(Labelled(text=text, kind=None, group=OWN, role=OWN, look_alike=True) for text in harmless),
    ]


def innocent_texts() -> list[Labelled]:
    """Innocent texts of many fields, written for this project; a field is a group."""
    lines = (files("lab") / "data" / "innocent.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return [
        Labelled(text=text, kind=None, group=field, role="innocent", look_alike=True) for field, text in rows
    ]


def fit(rows: Sequence[Labelled]) -> Fitted:
    """Attack against none on all rows by n-grams and marks, and the kinds on the attacks by n-grams alone."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression

    table, keys = _tabulate(rows)
    often = np.asarray((table > 0).sum(axis=0)).ravel() >= RAREST
    weigher = TfidfTransformer(sublinear_tf=True)
    values = weigher.fit_transform(table[:, often])
    marks = csr_matrix([MARK_SCALE * _read(row.text)[2] for row in rows])
    attack = np.array([row.kind is not None for row in rows])
    stress = np.array([LOOK_ALIKE_WEIGHT if row.look_alike else 1.0 for row in rows])
    first = LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0)
    first.fit(hstack([values, marks]).tocsr(), attack, sample_weight=stress)
    kinds = LogisticRegression(C=STRENGTH, max_iter=1000)
    kinds.fit(values[attack], [KINDS.index(row.kind) for row in rows if row.kind is not None])
    weights = np.zeros((int(often.sum()), 1 + len(KINDS)))
    bias = np.full(1 + len(KINDS), -20.0)  # of a kind that no row has
    weights[:, 0], bias[0] = first.coef_[0][: -len(MARKS)], first.intercept_[0]
    weights[:, 1 + kinds.classes_], bias[1 + kinds.classes_] = kinds.coef_.T, kinds.intercept_
    layer = NgramBranch(
        keys=keys[often],
        rarity=weigher.idf_.astype(np.float16),
        weights=weights.astype(np.float16),
        bias=bias.astype(np.float32),
    )
    return Fitted(layer=layer, marks=MARK_SCALE * first.coef_[0][-len(MARKS) :])


def score(fitted: Fitted, rows: Sequence[Labelled]) -> Floats:
    """The logit of an attack of each row."""
    return np.array([fitted.logit(row.text) for row in rows])


def choose_threshold(rows: Sequence[Labelled], logits: Floats, at_most: Mapping[str, float]) -> float:
    """The lowest logit that flags at most the given share of each role."""
    roles = np.array([row.role for row in rows])
    return max(
        float(np.quantile(logits[roles == role], 1 - share, method="higher"))
        for role, share in at_most.items()
        if role in roles
    )


def hold_out(rows: Sequence[Labelled], *, folds: int, seed: int) -> Floats:
    """The logit of each row by a model that saw no row of its group; NaN for the project's own."""
    groups = sorted({row.group for row in rows} - {OWN})
    order = np.random.default_rng(seed).permutation(len(groups))
    fold = {groups[place]: n % folds for n, place in enumerate(order)}
    place = np.array([fold.get(row.group, -1) for row in rows])
    logits = np.full(len(rows), np.nan)
    for n in range(folds):
        held = np.flatnonzero(place == n)
        fitted = fit([row for row, its in zip(rows, place, strict=True) if its != n])
        logits[held] = score(fitted, [row for row, its in zip(rows, place, strict=True) if its == n])
    return logits


def write(fitted: Fitted, threshold: float, folder: Path) -> NgramGuard:
    """The signal as files that hold hashes and numbers, and no text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WEIGHTS).write_bytes(pack(fitted.layer))
    marks = {name: round(float(weight), 4) for name, weight in zip(MARKS, fitted.marks, strict=True)}
    settings = json.dumps({"threshold": round(threshold, 4), "marks": marks}, indent=1) + "\n"
    (folder / SETTINGS).write_text(settings, encoding="utf-8")
    return NgramGuard.load(folder)


def _tabulate(rows: Sequence[Labelled]) -> tuple[Any, NDArray[np.uint64]]:
    """Rows x n-grams, how often each occurs, and the hashes of the n-grams."""
    from scipy.sparse import csr_matrix

    found = [_read(row.text) for row in rows]
    keys, places = np.unique(np.concatenate([own for own, _, _ in found]), return_inverse=True)
    counts = np.concatenate([often for _, often, _ in found]).astype(np.float64)
    ends = np.cumsum([0, *(len(own) for own, _, _ in found)])
    return csr_matrix((counts, places, ends), shape=(len(rows), len(keys))), keys


@cache
def _read(text: str) -> tuple[NDArray[np.uint64], NDArray[np.int64], Floats]:
    """The hashes of a text's n-grams, how often each occurs, and its marks."""
    plain = unmask(text)
    return (*hash_plain(plain), mark(plain))
