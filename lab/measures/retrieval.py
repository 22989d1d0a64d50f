"""How well the ranker finds what was judged relevant: hit@1, nDCG@10 and MRR with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.measures.intervals import bootstrap_interval
from lab.measures.metrics import JudgedQuestion, hit_at, ndcg_at, reciprocal_rank
from vta.ports import Knowledge
from vta.types.courses import Course

_PAIRS_A_DOCUMENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over the questions, with its 95 % percentile bootstrap interval."""

    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalFigures:
    """The figures over n questions."""

    n: int
    hit_at_1: Figure
    ndcg_at_10: Figure
    mrr_at_10: Figure


def measure_retrieval(
    knowledge: Knowledge, course: Course, queries: Sequence[JudgedQuestion], *, seed: int = 0
) -> RetrievalFigures:
    """Rank the course for every question as `vta search` does; a document stands where its best pair is.

    Every question needs a document with a grade above 0.
    """
    ranked = [ranked_documents(knowledge, course, query.text) for query in queries]
    pairs = list(zip(ranked, queries, strict=True))

    def figure(values: Sequence[float]) -> Figure:
        return Figure(mean=sum(values) / len(values), interval=bootstrap_interval(values, seed=seed))

    return RetrievalFigures(
        n=len(queries),
        hit_at_1=figure([hit_at(1, names, query.grades) for names, query in pairs]),
        ndcg_at_10=figure([ndcg_at(10, names, query.grades) for names, query in pairs]),
        mrr_at_10=figure([reciprocal_rank(names, query.grades) for names, query in pairs]),
    )


def ranked_documents(knowledge: Knowledge, course: Course, text: str, top: int = 10) -> list[str]:
    """The first documents for a question, each once."""
    ranking = knowledge.ranker.rank(
        text,
        course=course,
        mentions=knowledge.linker.link(text, course=course),
        chit_chat=0.0,
        top=top * _PAIRS_A_DOCUMENT,
    )
    names = [c.pair.document for c in ranking.candidates if c.pair.document is not None]
    return list(dict.fromkeys(names))[:top]
