"""The four measures of retrieval-augmented generation named by RAGAS, from verdicts that a judge has given.

Faithfulness and answer relevance are those of Es et al. (2023), "RAGAS: Automated Evaluation of Retrieval
Augmented Generation"; context precision and context recall are those of the library of that name. What counts
as a statement, and who gives the verdicts, is the judge's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

GENERATED_QUESTIONS = 3
"""How many questions a judge writes for an answer (N of the library's default)."""


def share_supported(verdicts: Sequence[bool]) -> float | None:
    """|V| / |S|, the supported share of statements; None where there is no statement.

    Of the answer's statements against what was retrieved: faithfulness. Of the reference's: context recall.
    """
    return sum(verdicts) / len(verdicts) if verdicts else None


def context_precision(useful: Sequence[bool]) -> float:
    """Context precision@K = sum over k of precision@k * v_k / number of useful passages in the K.

    `useful` are v_k in the order of the ranking; 0 where no passage is useful, or none was found.
    """
    hits = [rank for rank, each in enumerate(useful, start=1) if each]
    return sum(n / rank for n, rank in enumerate(hits, start=1)) / len(hits) if hits else 0.0


def answer_relevancy(similarities: Sequence[float], *, noncommittal: bool) -> float:
    """The mean similarity of the question to those that the answer would answer; 0 for an evasive answer."""
    if noncommittal or not similarities:
        return 0.0
    return sum(similarities) / len(similarities)
