"""Relevance gives the order and nothing else: S stays S, exact for pairs that only vectors found too."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_platforms import chit_chats, platforms

from knowledge.index.embedded import EmbeddedIndex
from knowledge.learned_ranking import LearnedRanker, VectorSide
from knowledge.ranking import ConceptAwareRanker
from knowledge.vectors.embedded import EmbeddedVectors, VectorFile
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import QAPair, Source

ANALYSER = Analyser(["栈", "队列"])
WORDS = "栈 队列 插入 复杂度 stack queues linked tree cost".split()
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(platforms(phrases, phrases, most=25), phrases, chit_chats, st.integers(1, 12))
def test_s_is_that_of_words_alone(word_vectors, platform, question, chit_chat, top):
    """Pairs found by words keep their S, others have 0; top is a prefix.

    The order is that of relevance, but for passages under a heading, and names, that are the question.
    """
    courses, pairs = platform
    model = word_vectors()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = EmbeddedIndex(Path(folder), beside=VectorFile(model))
        index.replace(pairs, analyser=ANALYSER, stamp="1")
        words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)
        vectors = VectorSide(questions=model, passages=model, index=EmbeddedVectors(index, model=model.name))
        ranker = LearnedRanker(words, vectors)
        asked = {"course": courses[0], "mentions": (), "chit_chat": chit_chat}
        by_words = words.find(words.ask(question, **asked), 100)
        ranking = ranker.rank(question, **asked, top=100)
        few = ranker.rank(question, **asked, top=top).candidates
    assert ranking.degraded is None
    assert few == ranking.candidates[:top]
    scores = {c.pair.id: c.score for c in by_words}
    assert set(scores) <= {c.pair.id for c in ranking.candidates}
    for candidate in ranking.candidates:
        assert candidate.score == pytest.approx(scores.get(candidate.pair.id, 0.0), rel=1e-4)
        assert 0.0 <= candidate.relevance <= 1.0
    headings = {c.pair.id: words.words(c.pair).heading for c in ranking.candidates}
    asked_words = set(ANALYSER.words(question))
    ranks = [(headings[c.pair.id] == asked_words, c.relevance) for c in ranking.candidates]
    assert ranks == sorted(ranks, reverse=True)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(platforms(phrases, phrases, most=25), phrases, st.integers(1, 12))
def test_without_its_embedder_the_ranking_is_that_of_words(word_vectors, platform, question, top):
    """The same pairs in the same order, and the reason why."""
    courses, pairs = platform
    model = word_vectors()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = EmbeddedIndex(Path(folder), beside=VectorFile(model))
        index.replace(pairs, analyser=ANALYSER, stamp="1")
        words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)
        vectors = VectorSide(questions=model, passages=model, index=EmbeddedVectors(index, model=model.name))
        asked = {"course": courses[0], "mentions": (), "chit_chat": 0.0, "top": top}
        model.down = True
        ranking = LearnedRanker(words, vectors).rank(question, **asked)
        assert ranking.candidates == LearnedRanker(words).rank(question, **asked).candidates
    assert ranking.degraded is not None
    assert (ranking.degraded.stage, "cannot be reached" in ranking.degraded.reason) == ("vectors", True)


def small_platform() -> tuple[list[Course], list[QAPair]]:
    """A course with two passages."""
    course = Course(id=CourseId("c"), name="C", domains=(), language=Language.EN)
    texts = {"a": "the cost of a stack", "b": "a linked tree"}
    pairs = [
        QAPair(id=PairId(id), course_id=course.id, source=Source.MATERIAL, question="", answer=text)
        for id, text in texts.items()
    ]
    return [course], pairs


def test_a_ranking_asks_the_index_for_its_statistics_once(tmp_path, word_vectors):
    """However many pairs are judged, and whoever found them."""

    class Counting(EmbeddedIndex):
        asked = 0

        def statistics(self, query, course_id):
            self.asked += 1
            return super().statistics(query, course_id)

    (courses, pairs), model = small_platform(), word_vectors()
    index = Counting(tmp_path, beside=VectorFile(model))
    index.replace(pairs, analyser=ANALYSER, stamp="1")
    words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)
    vectors = VectorSide(questions=model, passages=model, index=EmbeddedVectors(index, model=model.name))
    ranking = LearnedRanker(words, vectors).rank(
        "stack cost", course=courses[0], mentions=(), chit_chat=0.0, top=3, found=pairs[:1]
    )
    assert len(ranking.candidates) == 2
    assert index.asked == 1
