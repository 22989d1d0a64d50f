"""Fit and measure the learned choice of sentences on sets of questions, each held out in turn.

python -m benchmarks sentences ../shared/data [--write]

hit@1 is the share of passages with an answer whose first piece by the score holds it. w is fitted as a
conditional logit over the pieces of a passage, each set counting alike. `by hand` are the weights before.
`--write` writes vta/dialogue/teaching/sentences.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.fitting import write_weights
from benchmarks.record import ROOT
from benchmarks.sentence_sets import Asking, sentence_sets
from lab.measures.intervals import bootstrap_interval
from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import read_pieces
from vta.dialogue.teaching.sentences import WEIGHTS, extract_features
from vta.text import Analyser

Floats = NDArray[np.float64]
BY_HAND = {
    "share": 1.0,
    "kind": 0.2,
    "defines": 0.5,
    "beside": -1.0,
    "asks": -0.3,
    "announces": -0.2,
}
"""The weights before, but 0.4 for the words of the title alone and 0.1 for the first piece."""
RIDGE = 0.1


@dataclass(frozen=True, slots=True)
class Passage:
    """The features of the pieces of a passage, n x len(BY_HAND), and which of them answer."""

    features: Floats
    right: NDArray[np.bool_]


Sets = dict[str, list[Passage]]


def read_passages(asking: Asking, analyser: Analyser) -> list[Passage]:
    """The passages of a question in which some pieces answer and others do not."""
    asked = Asked(asking.question, asking.candidates, analyser=analyser, concepts=asking.concepts)
    found = []
    for n, candidate in enumerate(asking.candidates):
        pieces = read_pieces(candidate.pair.answer)
        right = np.array([(n, place) in asking.right for place in range(len(pieces))], dtype=bool)
        if right.any() and not right.all():
            features = extract_features(asked, pieces)
            found.append(Passage(np.array([list(each.values()) for each in features]), right))
    return found


def fit(sets: list[list[Passage]]) -> Floats:
    """w of a conditional logit, each set counting alike."""
    chosen = [(p, 1 / len(each)) for each in sets for p in each]
    x = np.vstack([p.features for p, _ in chosen])
    of = np.repeat(np.arange(len(chosen)), [len(p.right) for p, _ in chosen])
    right = np.concatenate([p.right for p, _ in chosen]).astype(float)
    share = np.array([weight for _, weight in chosen]) / len(sets)
    spread = x.std(axis=0)
    spread[spread == 0] = 1.0
    x = x / spread

    def loss(w: Floats) -> tuple[float, Floats]:
        e = np.exp(x @ w)
        whole, wanted = np.bincount(of, e, len(chosen)), np.bincount(of, e * right, len(chosen))
        slope = (e / whole[of] - e * right / wanted[of]) * share[of]
        return float(share @ np.log(whole / wanted) + RIDGE * w @ w), x.T @ slope + 2 * RIDGE * w

    return np.asarray(minimize(loss, np.zeros(len(BY_HAND)), jac=True, method="L-BFGS-B").x / spread)


def hits(passages: list[Passage], weights: Floats) -> Floats:
    return np.array([float(p.right[(p.features @ weights).argmax()]) for p in passages])


def held_out(sets: Sets) -> dict[str, Floats]:
    """The hits of each set by the weights of the other families."""
    family = {name: name.split("/")[0] for name in sets}
    return {
        name: hits(passages, fit([each for other, each in sets.items() if family[other] != family[name]]))
        for name, passages in sets.items()
    }


def summary(found: Floats) -> dict[str, object]:
    low, high = bootstrap_interval(list(found), seed=0)
    return {"hit@1": round(float(found.mean()), 3), "interval_95": [round(low, 3), round(high, 3)]}


def run(data: Path, *, write: bool = False) -> dict[str, Any]:
    """`write`: write the weights fitted to all sets."""
    analyser = Analyser()
    sets: Sets = {
        name: [passage for asking in askings for passage in read_passages(asking, analyser)]
        for name, askings in sentence_sets(data)
    }
    by_hand = np.array(list(BY_HAND.values()))
    before = {name: hits(passages, by_hand) for name, passages in sets.items()}
    after = held_out(sets)
    if write:
        words = dict(zip(BY_HAND, fit(list(sets.values())), strict=True))
        file = ROOT / "vta" / "dialogue" / "teaching" / WEIGHTS
        write_weights(file, made_by="sentences", digits=2, words=words)
    return {
        name: {
            "passages": len(sets[name]),
            "learned": summary(after[name]),
            "by_hand": summary(before[name]),
            "difference": summary(after[name] - before[name]),
        }
        for name in sets
    }
