"""Elasticsearch and the embedded index rank alike, for random corpora, courses, domains and h."""

from __future__ import annotations

import tempfile
from pathlib import Path

import factories as make
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_platforms import chit_chats, mentioned, mentions_of, platforms

from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import ConceptAwareRanker, build_query
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import CollectionStatistics, QAPair, SearchQuery, Source

ANALYSER = Analyser(["栈", "队列", "链表", "二叉树"])
WORDS = "栈 队列 链表 二叉树 插入 复杂度 后进先出 stack queues linked tree cost C++ O(1) ！ ⚙ 𠀀𠀁".split()
TOLERANCE = 1e-4

phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
answers = st.one_of(
    st.just(""),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=120).map(" ".join),
    st.text(max_size=30),
)
found_texts = st.lists(st.tuples(phrases, answers), max_size=3)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    platforms(phrases, answers, most=40),
    st.lists(st.tuples(phrases, mentioned, chit_chats), min_size=1, max_size=6),
    found_texts,
)
def test_both_engines_give_the_same_pairs_and_scores(on_server, platform, asked, outside):
    """Every score within 1e-4 of the other's, found outside or indexed; the same divisor and statistics, the
    same order but for ties."""
    courses, pairs = platform
    elasticsearch = on_server
    found = [
        QAPair(id=PairId(f"w{n}"), course_id=courses[0].id, source=Source.SEARCH, question=title, answer=text)
        for n, (title, text) in enumerate(outside)
    ]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        embedded = EmbeddedIndex(Path(folder))
        for index in (embedded, elasticsearch):
            assert index.replace(pairs, analyser=ANALYSER, stamp="1") == len(pairs)
        for question, name, chit_chat in asked:
            about = {"course": courses[0], "mentions": mentions_of(name), "chit_chat": chit_chat}
            query = build_query(question, about["mentions"], ANALYSER)
            for course in courses:
                one, other = (index.statistics(query, course.id) for index in (embedded, elasticsearch))
                _assert_same_statistics(one, other)
            for top in (3, 100):
                one, other = (
                    ranker.find(ranker.ask(question, **about), top, found)
                    for index in (embedded, elasticsearch)
                    for ranker in [ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)]
                )
                _assert_alike(one, other)


def test_words_too_long_for_the_engines_are_in_no_document(on_server):
    """A question with a run that Lucene would cut finds nothing by its pieces."""
    pair = make.pair("stack " + "x" * 45, "", id="a")
    on_server.replace([pair], analyser=ANALYSER, stamp="1")
    query = SearchQuery(words=(("x" * 300, 1.0), ("stack", 1.0)), grams=())
    told = on_server.statistics(query, CourseId("c"))
    assert told.frequencies["question_words", "x" * 300] == 0
    assert told.frequencies["question_words", "stack"] == 1


def _assert_same_statistics(one: CollectionStatistics, other: CollectionStatistics) -> None:
    assert (other.documents, other.frequencies) == (one.documents, one.frequencies)
    assert other.average_lengths == pytest.approx(one.average_lengths, rel=1e-6)


def _assert_alike(one, other) -> None:
    assert [c.score for c in other] == pytest.approx([c.score for c in one], rel=TOLERANCE)
    found = {c.pair.id: c for c in one}
    for candidate in other:
        twin = found.get(candidate.pair.id)
        if twin is None:  # another pair that ties with the last
            assert candidate.score == pytest.approx(one[-1].score, rel=TOLERANCE)
            continue
        assert candidate.pair == twin.pair
        assert candidate.weight == twin.weight
        assert candidate.bm25 == pytest.approx(twin.bm25, rel=TOLERANCE)
        assert candidate.score == pytest.approx(twin.score, rel=TOLERANCE)
