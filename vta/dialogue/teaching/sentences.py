"""The learned score by which a sentence or unit of a passage answers a question: u = w · x.

x are the few `SentenceFeatures`; w orders the pieces of one passage as a conditional logit does (McFadden
1974). `benchmarks/sentences.py --fit` learns it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import WORDS, Piece
from vta.kinds import Kind
from vta.patterns import read_table
from vta.units import UnitKind, gives, own_units

WEIGHTS = "sentences.toml"
_SAYS_WHAT = frozenset({Kind.DEFINITION, Kind.DIFFERENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFeatures:
    """What speaks for and against a piece of a passage.

    `share` is how much of the question's content it holds, in 0..1. The others are 0 or 1: whether it gives
    the kind of thing that is asked for, defines it (of a comparison, one side), is code or a formula that
    nobody asked for (`beside`), asks itself, and only announces what comes.
    """

    share: float
    kind: float
    defines: float
    beside: float
    asks: float
    announces: float


def read_signs(asked: Asked, pieces: Sequence[Piece]) -> tuple[SentenceFeatures, ...]:
    """The signs of each piece of a passage that its words tell."""
    wanted = {unit for kind in asked.kinds for unit in own_units(kind)}
    kinds = asked.kinds - {Kind.DEFINITION}
    return tuple(
        SentenceFeatures(
            share=asked.share(asked.held(piece.text)),
            kind=float(piece.kind in wanted or any(gives(kind, piece.text) for kind in kinds)),
            defines=float(bool(asked.kinds & _SAYS_WHAT) and asked.defined_in(piece)),
            beside=float(piece.kind in (UnitKind.CODE, UnitKind.FORMULA) and piece.kind not in wanted),
            asks=float(piece.text.rstrip().endswith(("?", "？"))),
            announces=float(WORDS["announces"].match(piece.text) is not None),
        )
        for piece in pieces
    )


def score(signs: SentenceFeatures) -> float:
    """u, comparable among the pieces of one passage."""
    return float(sum(weight * getattr(signs, name) for name, weight in shipped_weights().items()))


@cache
def shipped_weights() -> Mapping[str, float]:
    """w by the names of `SentenceFeatures`."""
    table = read_table("vta.dialogue.teaching", WEIGHTS)["words"]
    return {field.name: table[field.name] for field in fields(SentenceFeatures)}
