"""The learned order of excerpts: the probability that an excerpt of a passage holds the answer.

Gradient-boosted trees over the `FEATURES` of an excerpt, fitted to rank by LambdaMART (Burges 2010);
`python -m benchmarks order --write` makes the file, and measures it with each course left out of the fitting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import Piece
from vta.scoring import Trees, unpack
from vta.types.pairs import Candidate, Source
from vta.units import UnitKind, gives

TREES = "order.npz"
_LEAST = 1e-6


class PassageFeatures(NamedTuple):
    """The features of one candidate of a question.

    `place` is 1 / its rank, `margin` the logit of its relevance less that of the best one, `score` its S.
    `titled`, `headed` and `share` are the shares of the question's content in its title, its last heading
    and its best piece; `heading_asked` is the share of the heading's words in the question, `likeness` the
    Jaccard index of both. `piece` is the score of the best piece, `length` the logarithm of its columns.
    `unfinished`, `asks`, `code` and `formula` are shares of its pieces. `gives` (the kind of thing that is
    asked for) and `faq` are 0 or 1.
    """

    place: float
    margin: float
    score: float
    titled: float
    headed: float
    heading_asked: float
    likeness: float
    piece: float
    share: float
    length: float
    unfinished: float
    asks: float
    code: float
    formula: float
    gives: float
    faq: float


FEATURES = (*PassageFeatures._fields, "answers", "below_passage", "below_all")
"""The features of one excerpt in the order of the trees: those of its passage, the score of its best piece,
and the distance of that score from the best of the passage and of all."""


def extract_passage_features(
    asked: Asked,
    candidates: Sequence[Candidate],
    pieces: Sequence[Sequence[Piece]],
    read: Sequence[Sequence[Mapping[str, float]]],
    scores: Sequence[Sequence[float]],
) -> list[PassageFeatures]:
    """The features of all candidates of a question, from the features and scores of their pieces."""
    best = max((_logit(each, candidates) for each in candidates), default=0.0)
    return [
        PassageFeatures(
            place=1 / rank,
            margin=_logit(candidate, candidates) - best,
            score=candidate.score,
            **_title_features(asked, candidate),
            piece=max(scored, default=0.0),
            share=max((features["share"] for features in of_pieces), default=0.0),
            **_form_features(of),
            gives=float(any(gives(kind, candidate.pair.answer) for kind in asked.kinds)),
            faq=float(candidate.pair.source is Source.FAQ),
        )
        for rank, (candidate, of, of_pieces, scored) in enumerate(
            zip(candidates, pieces, read, scores, strict=True), start=1
        )
    ]


def excerpt_features(
    passages: Sequence[PassageFeatures], scores: Sequence[Sequence[float]]
) -> NDArray[np.float32]:
    """A row of `FEATURES` for each excerpt, passage by passage, whose best pieces have these scores."""
    best = max(chain.from_iterable(scores), default=0.0)
    rows = [
        (*passage, score, score - passage.piece, score - best)
        for passage, of_passage in zip(passages, scores, strict=True)
        for score in of_passage
    ]
    return np.array(rows, dtype=np.float32).reshape(-1, len(FEATURES))


@cache
def shipped_trees() -> Trees:
    """The trees of the package."""
    return unpack(Trees, files("vta.dialogue.teaching").joinpath(TREES).read_bytes())


def _title_features(asked: Asked, candidate: Candidate) -> dict[str, float]:
    pair = candidate.pair
    headings = pair.locator.heading_path[-1:] or pair.wordings
    heading = max(headings, key=asked.likeness)
    words = asked.words_of(heading)
    return {
        "titled": asked.share(asked.held(pair.question)),
        "headed": asked.share(asked.held(heading)),
        "heading_asked": len(words & asked.words) / len(words) if words else 0.0,
        "likeness": asked.likeness(heading),
    }


def _form_features(pieces: Sequence[Piece]) -> dict[str, float]:
    count = max(len(pieces), 1)
    ends = [piece.text.rstrip()[-1:] for piece in pieces]
    return {
        "length": math.log(1 + sum(piece.width for piece in pieces)),
        "unfinished": sum(end not in '.。．!！?？;；”")）`' for end in ends) / count,
        "asks": sum(end in ("?", "？") for end in ends) / count,
        "code": sum(piece.kind is UnitKind.CODE for piece in pieces) / count,
        "formula": sum(piece.kind is UnitKind.FORMULA for piece in pieces) / count,
    }


def _logit(candidate: Candidate, candidates: Sequence[Candidate]) -> float:
    """The logit of its relevance, else of its S over the best S."""
    p = candidate.relevance
    if p is None:
        best = max(each.score for each in candidates)
        p = candidate.score / best if best > 0 else 0.5
    p = min(max(p, _LEAST), 1 - _LEAST)
    return math.log(p / (1 - p))
