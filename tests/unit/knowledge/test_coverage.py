"""Coverage: the share of a question's content, by rarity, that a passage holds."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from knowledge.relevance import rarities, share_held
from vta.types import CollectionStatistics, SearchQuery


def coverage(words: list[str], held: str, *, named: str = "", **frequencies: int) -> float:
    """Of a question with these words, by a passage with others, where the concept counts double."""
    query = SearchQuery(words=tuple((word, 2.0 if word == named else 1.0) for word in words), grams=())
    counts = defaultdict(int, {("answer_words", word): n for word, n in frequencies.items()})
    statistics = CollectionStatistics(documents=9, average_lengths={}, frequencies=counts)
    return share_held(set(held.split()), rarities(query, statistics))


def test_a_passage_with_every_word_covers_the_whole_question() -> None:
    """1, whatever else the passage says."""
    assert coverage(["heap", "top"], "the top of a heap is large") == pytest.approx(1.0)


def test_a_rare_word_that_is_missing_weighs_more_than_a_common_one() -> None:
    """Each word counts its idf, here of 9 pairs: one word is in none of them, the other in 8."""
    common, absent = math.log(1 + 1.5 / 8.5), math.log(1 + 9.5 / 0.5)
    assert coverage(["heap", "zebra"], "a heap", heap=8) == pytest.approx(common / (common + absent))


def test_the_words_of_a_named_concept_count_double() -> None:
    """As they do in S."""
    assert coverage(["heap", "zebra"], "a heap", named="heap") == pytest.approx(2 / 3)


@pytest.mark.parametrize(("words", "held"), [([], "a heap"), (["heap"], "")])
def test_without_content_or_words_nothing_is_covered(words: list[str], held: str) -> None:
    """0, and no division by nothing."""
    assert coverage(words, held) == 0.0
