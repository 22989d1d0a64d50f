"""What both engines say of a query beyond its hits: idf and the BM25 of a perfect pair."""

from __future__ import annotations

import math
from collections.abc import Callable

from knowledge.index.tokens import GRAM_WEIGHT, WORD_WEIGHT
from vta.types import SearchQuery


def idf(document_frequency: int, documents: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), the inverse document frequency of BM25 as Lucene has it."""
    return math.log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))


def perfect_bm25(query: SearchQuery, documents: int, frequency: Callable[[str, str], int]) -> float:
    """The BM25 of a question side of average length that holds every term once.

    At average length a single occurrence counts (k1 + 1) / (1 + k1) = 1 times its idf. `frequency` tells in
    how many documents a field has a token.
    """

    def total(field: str, terms: tuple[tuple[str, float], ...]) -> float:
        return sum(boost * idf(frequency(field, term), documents) for term, boost in terms)

    words = total("question_words", query.words)
    return WORD_WEIGHT * words + GRAM_WEIGHT * total("question_grams", query.grams)
