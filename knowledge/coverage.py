"""How much of what a question asks a passage holds: the share of its content words, each with its idf.

    coverage(q) = max over z of  sum of w(t), t in q and (z or NER(q))  /  sum of w(t), t in q

w is idf, doubled for the words of NER(q) as in S. A word of a concept that the question names counts as held:
what the concept is, the course says.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set

from knowledge.bm25 import TermReader, idf
from vta.text import Analyser
from vta.types import Candidate, CollectionStatistics, Mention

_NAMED = 2.0


def cover(
    words: Collection[str],
    *,
    mentions: Sequence[Mention],
    candidates: Sequence[Candidate],
    statistics: CollectionStatistics,
    analyser: Analyser,
    reader: TermReader,
) -> float:
    """The coverage of these content words of a question, in 0..1; 0 where there is none or no candidate."""
    rarity = {word: idf(_frequency(word, statistics.frequencies), statistics.documents) for word in words}
    named = {word for mention in mentions for word in analyser.words(mention.surface)}
    rarity = {word: weight * (_NAMED if word in named else 1.0) for word, weight in rarity.items()}
    whole = sum(rarity.values())
    if whole == 0 or not candidates:
        return 0.0
    return max(_held(reader.words(candidate.pair), rarity, named) for candidate in candidates) / whole


def _held(words: Set[str], rarity: Mapping[str, float], named: Set[str]) -> float:
    return sum(weight for word, weight in rarity.items() if word in named or word in words)


def _frequency(word: str, frequencies: Mapping[tuple[str, str], int]) -> int:
    """In how many pairs a word stands, at least: those of the side that has it more often."""
    return max(frequencies["question_words", word], frequencies["answer_words", word])
