"""Coverage: the share of a question's content, by rarity, that one passage and the named concepts hold."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest

from knowledge.bm25 import TermReader
from knowledge.coverage import cover
from vta.text import Analyser
from vta.types import (
    Candidate,
    CollectionStatistics,
    Concept,
    ConceptId,
    CourseId,
    Mention,
    PairId,
    QAPair,
    Source,
)

ANALYSER = Analyser()


def found(*texts: str) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            pair=QAPair(
                id=PairId(text), course_id=CourseId("c"), source=Source.MATERIAL, question="", answer=text
            ),
            bm25=1.0,
            weight=1.0,
            score=1.0,
        )
        for text in texts
    )


def coverage(words: list[str], *texts: str, named: str = "", **frequencies: int) -> float:
    counts = defaultdict(int, {("answer_words", word): n for word, n in frequencies.items()})
    concept = Concept(id=ConceptId(named), name=named)
    mentions = (Mention(concept=concept, start=0, end=len(named), surface=named),) if named else ()
    return cover(
        words,
        mentions=mentions,
        candidates=found(*texts),
        statistics=CollectionStatistics(documents=9, average_lengths={}, frequencies=counts),
        analyser=ANALYSER,
        reader=TermReader(ANALYSER),
    )


def test_a_passage_with_every_word_covers_the_whole_question() -> None:
    """1, whatever else the passage says."""
    assert coverage(["heap", "top"], "The top of a heap is its largest element.") == pytest.approx(1.0)


def test_words_of_two_passages_are_not_added_up() -> None:
    """An answer stands in one place: the best passage counts."""
    assert coverage(["heap", "root"], "A heap.", "A root.") == pytest.approx(0.5)


def test_a_rare_word_that_is_missing_weighs_more_than_a_common_one() -> None:
    """Each word counts its idf, here of 9 pairs: one word is in none of them, the other in 8."""
    common, absent = math.log(1 + 1.5 / 8.5), math.log(1 + 9.5 / 0.5)
    assert coverage(["heap", "zebra"], "A heap.", heap=8) == pytest.approx(common / (common + absent))


def test_the_words_of_a_named_concept_are_held() -> None:
    """What the concept is, the course says; here the passage lacks it. They count double, as in S."""
    assert coverage(["heap", "zebra"], "A tree.", named="heap") == pytest.approx(2 / 3)


@pytest.mark.parametrize(("words", "texts"), [([], ["A heap."]), (["heap"], [])])
def test_without_content_or_candidates_nothing_is_covered(words: list[str], texts: list[str]) -> None:
    """0, and no division by nothing."""
    assert coverage(words, *texts) == 0.0
