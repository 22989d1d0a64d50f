"""How rare a token is."""

from __future__ import annotations

import math


def idf(document_frequency: int, documents: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)), the inverse document frequency of BM25 as Lucene has it."""
    return math.log(1 + (documents - document_frequency + 0.5) / (document_frequency + 0.5))
