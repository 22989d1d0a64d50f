"""How much of what a question asks a passage holds: the share of its content words, each with its idf.

    coverage(z, q) = sum of w(t), t in q and z  /  sum of w(t), t in q

w is idf, doubled for the words of NER(q) as in S. Beside it the share of the words that follow each other in
the question and in the passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from knowledge.bm25 import idf
from vta.types import CollectionStatistics, SearchQuery

Rarities = Mapping[str, float]
"""w(t) of the content words of a question."""


def rarities(query: SearchQuery, statistics: CollectionStatistics) -> Rarities:
    """The weight of each content word, by in how many pairs it stands at least."""
    return {
        word: boost * idf(_frequency(word, statistics.frequencies), statistics.documents)
        for word, boost in query.words
    }


def share_held(words: Set[str], asked: Rarities) -> float:
    """The coverage by a passage with these words, in 0..1; 0 where nothing is asked."""
    whole = sum(asked.values())
    return sum(weight for word, weight in asked.items() if word in words) / whole if whole > 0 else 0.0


def neighbours(query: SearchQuery) -> tuple[str, ...]:
    """Each two content words that follow each other, as `PairWords.running` writes them."""
    return tuple(f" {one} {other} " for (one, _), (other, _) in pairwise(query.words))


def share_adjacent(running: str, asked: Sequence[str]) -> float:
    """The share of these neighbours that a passage holds as such, in 0..1; 0 where there are none."""
    return sum(each in running for each in asked) / len(asked) if asked else 0.0


def _frequency(word: str, frequencies: Mapping[tuple[str, str], int]) -> int:
    return max(frequencies["question_words", word], frequencies["answer_words", word])
