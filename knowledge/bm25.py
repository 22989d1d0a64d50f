"""BM25 of pairs that are not in the index, with the index's own statistics.

A pair gets the score that the index gives it once it is there and the statistics are those told here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from knowledge.index.scores import idf
from knowledge.index.tokens import K1, B, boosted_terms, group, token_fields
from vta.text import Analyser
from vta.types import Candidate, QAPair, SearchQuery, SourceWeight


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionStatistics:
    """What BM25 needs to know of all pairs: how many there are, their average lengths in tokens by field, and
    in how many each (field, token) of a query occurs."""

    documents: int
    average_lengths: Mapping[str, float]
    frequencies: Mapping[tuple[str, str], int]


class StatisticsSource(Protocol):
    """An index that tells its statistics."""

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        """Those of the live generation for the terms of a query. `NotReady` where there is none yet."""
        ...


def query_terms(query: SearchQuery) -> Iterator[tuple[str, str]]:
    """Every (field, token) that may be looked up for a query."""
    for side in ("question", "answer"):
        for token, _ in query.words:
            yield f"{side}_words", token
        for token, _ in query.grams:
            yield f"{side}_grams", token


def score_pairs(
    pairs: Sequence[QAPair],
    query: SearchQuery,
    weights: Sequence[SourceWeight],
    statistics: CollectionStatistics,
    analyser: Analyser,
) -> tuple[Candidate, ...]:
    """S = weight * BM25 of every pair that a weight selects and that holds a term; best first, ties by id."""
    chosen = {group(w.source, w.course_id): w for w in weights if w.weight > 0}
    found = []
    for pair in pairs:
        weight = chosen.get(group(pair.source, pair.course_id))
        bm25 = _bm25(token_fields(pair, analyser), query, weight, statistics) if weight else 0.0
        if weight and bm25 > 0:
            score = weight.weight * bm25
            found.append(Candidate(pair=pair, bm25=bm25, weight=weight.weight, score=score))
    return tuple(sorted(found, key=lambda c: (-c.score, c.pair.id)))


def _bm25(
    tokens: Mapping[str, Sequence[str]],
    query: SearchQuery,
    weight: SourceWeight,
    statistics: CollectionStatistics,
) -> float:
    counts = {field: Counter(each) for field, each in tokens.items()}
    norms = {
        field: K1 * (1 - B + B * kept_length(len(each)) / max(statistics.average_lengths[field], 1.0))
        for field, each in tokens.items()
    }
    total = 0.0
    for field, token, boost in boosted_terms(query, weight):
        if count := counts[field][token]:
            rarity = idf(statistics.frequencies[field, token], statistics.documents)
            total += boost * rarity * count * (K1 + 1) / (count + norms[field])
    return total


def kept_length(length: int) -> int:
    """A length in tokens as the engines keep it in one byte: exact to 40, then four significant bits."""
    rest = length - 24
    shift = max(rest.bit_length() - 4, 0) if rest >= 16 else 0
    return 24 + (rest >> shift << shift)
