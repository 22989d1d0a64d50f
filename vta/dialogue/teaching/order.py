"""The learned order of what was found: which excerpt of which passage most likely holds the answer.

Gradient-boosted trees over the few `SIGNS` of an excerpt, fitted to rank by LambdaMART (Burges 2010);
`benchmarks/order.py --fit` makes the file, and measures it with each course left out of the fitting.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import Piece
from vta.scoring import Trees, unpack
from vta.types.pairs import Candidate, Source
from vta.units import UnitKind, gives

TREES = "order.npz"
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSigns:
    """What speaks for and against one of the candidates of a question.

    `place` is 1 / its rank, `margin` the logit of its relevance less that of the best one, `score` its S.
    Of the question's content its title holds `titled`, its last heading `headed`, its best piece `share`;
    `heading_asked` is the share of the heading's words that are asked for, `likeness` the Jaccard index of
    both. `piece` is the score of the best piece, `length` the logarithm of its columns. The shares of its
    pieces that have no end of a sentence, ask, or are code or formulas; and, 0 or 1, whether it holds the
    kind of thing that is asked for, and is of the FAQ.
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


SIGNS = (*(field.name for field in fields(PassageSigns)), "answers", "below_passage", "below_all")
"""What speaks for and against one excerpt: the signs of its passage, and the score of the piece that answers
best in it, with how far that is below the best of the passage and of all. The trees count them in this order.
"""


def read_passage_signs(
    asked: Asked,
    candidates: Sequence[Candidate],
    pieces: Sequence[Sequence[Piece]],
    read: Sequence[Sequence[Mapping[str, float]]],
    scores: Sequence[Sequence[float]],
) -> list[PassageSigns]:
    """The signs of all candidates of a question, with the signs and scores of their pieces."""
    best = max((_logit(each, candidates) for each in candidates), default=0.0)
    return [
        PassageSigns(
            place=1 / rank,
            margin=_logit(candidate, candidates) - best,
            score=candidate.score,
            **_title_signs(asked, candidate),
            piece=max(scored, default=0.0),
            share=max((signs["share"] for signs in of_pieces), default=0.0),
            **_form_signs(of),
            gives=float(any(gives(kind, candidate.pair.answer) for kind in asked.kinds)),
            faq=float(candidate.pair.source is Source.FAQ),
        )
        for rank, (candidate, of, of_pieces, scored) in enumerate(
            zip(candidates, pieces, read, scores, strict=True), start=1
        )
    ]


def excerpt_signs(passages: Sequence[PassageSigns], scores: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    """A row of `SIGNS` for each excerpt, passage by passage, whose best pieces have these scores."""
    best = max(chain.from_iterable(scores), default=0.0)
    rows = [
        (*astuple(passage), score, score - passage.piece, score - best)
        for passage, of_passage in zip(passages, scores, strict=True)
        for score in of_passage
    ]
    return np.array(rows, dtype=np.float32).reshape(-1, len(SIGNS))


@cache
def shipped_trees() -> Trees:
    """Those that come with the program."""
    return unpack(Trees, files("vta.dialogue.teaching").joinpath(TREES).read_bytes())


def _title_signs(asked: Asked, candidate: Candidate) -> dict[str, float]:
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


def _form_signs(pieces: Sequence[Piece]) -> dict[str, float]:
    count = max(len(pieces), 1)
    ends = [piece.text.rstrip()[-1:] for piece in pieces]
    return {
        "length": math.log(1 + sum(piece.width for piece in pieces)),
        "unfinished": sum(end not in '.。!！?？;；”")）`' for end in ends) / count,
        "asks": sum(end in ("?", "？") for end in ends) / count,
        "code": sum(piece.kind is UnitKind.CODE for piece in pieces) / count,
        "formula": sum(piece.kind is UnitKind.FORMULA for piece in pieces) / count,
    }


def _logit(candidate: Candidate, candidates: Sequence[Candidate]) -> float:
    """Of its relevance, else of its S over that of the best."""
    p = candidate.relevance
    if p is None:
        best = max(each.score for each in candidates)
        p = candidate.score / best if best > 0 else 0.5
    p = min(max(p, _LEAST), 1 - _LEAST)
    return math.log(p / (1 - p))
