"""The order of the best candidates by a model that reads question and passage together."""

from __future__ import annotations

from collections.abc import Sequence

from vta.errors import UpstreamFailed
from vta.ports import Reranker
from vta.types.pairs import Candidate, Degradation

RERANKED = 30
"""How many of the best candidates are put in order."""


def rerank(
    question: str, candidates: Sequence[Candidate], reranker: Reranker
) -> tuple[tuple[Candidate, ...], Degradation | None]:
    """The best `RERANKED` candidates in the reranker's order, the others after them.

    Where the reranker fails all stay in their order, and the degradation says why.
    """
    first = candidates[:RERANKED]
    texts = ["\n".join(filter(None, (each.pair.question, each.pair.answer))) for each in first]
    try:
        scores = reranker.scores(question, texts)
    except UpstreamFailed as failure:
        return tuple(candidates), Degradation(stage="reranking", reason=failure.message)
    order = sorted(range(len(first)), key=lambda n: -scores[n])
    return (*(first[n] for n in order), *candidates[RERANKED:]), None
