"""The learned score by which a sentence or unit of a passage answers a question: u = w · x.

x are the few numbers of `extract_features`; w orders the pieces of one passage as a conditional logit does
(McFadden 1974). It was learned once; weights by hand are as good, so nothing learns it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import WORDS, Piece
from vta.kinds import Kind
from vta.patterns import read_table
from vta.scoring import linear
from vta.units import UnitKind, gives, own_units

WEIGHTS = "sentences.toml"
_SAYS_WHAT = frozenset({Kind.DEFINITION, Kind.DIFFERENCE})


def extract_features(asked: Asked, pieces: Sequence[Piece]) -> tuple[dict[str, float], ...]:
    """The features of each piece of a passage.

    `share` is the share of the question's content in it, in 0..1. The others are 0 or 1: it gives the `kind`
    of thing that is asked for, `defines` it (in a comparison, one side), is code or a formula that the
    question does not ask for (`beside`), `asks` itself, or only `announces` the next one.
    """
    wanted = {unit for kind in asked.kinds for unit in own_units(kind)}
    kinds = asked.kinds - {Kind.DEFINITION}
    return tuple(
        {
            "share": asked.share(asked.held(piece.text)),
            "kind": float(piece.kind in wanted or any(gives(kind, piece.text) for kind in kinds)),
            "defines": float(bool(asked.kinds & _SAYS_WHAT) and asked.defined_in(piece)),
            "beside": float(piece.kind in (UnitKind.CODE, UnitKind.FORMULA) and piece.kind not in wanted),
            "asks": float(piece.text.rstrip().endswith(("?", "？"))),
            "announces": float(WORDS["announces"].match(piece.text) is not None),
        }
        for piece in pieces
    )


def score(features: Mapping[str, float]) -> float:
    """u, comparable among the pieces of one passage."""
    return linear(read_table("vta.dialogue.teaching", WEIGHTS)["words"], features)
