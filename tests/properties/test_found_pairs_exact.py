"""S of a search-engine pair that is not in the index is what it would be in it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_platforms import mentioned, mentions_of

from knowledge.bm25 import kept_length
from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import ConceptAwareRanker, build_query, source_weights
from vta.languages import Language
from vta.text import Analyser
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import QAPair, Source

ANALYSER = Analyser(["栈", "队列", "二叉树"])
WORDS = ["栈", "队列", "二叉树", "插入", "后进先出", "stack", "queues", "linked", "tree", "cost"]
COURSE = Course(id=CourseId("c"), name="C", domains=("计算机",), language=Language.ZH)

phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
pairs = st.lists(st.tuples(st.sampled_from(list(Source)), phrases, texts), max_size=12)
shares = st.sampled_from([0.0, 0.02, 0.4, 1.0])


def pair(id: str, source: Source, question: str, answer: str) -> QAPair:
    return QAPair(id=PairId(id), course_id=COURSE.id, source=source, question=question, answer=answer)


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(pairs, st.tuples(phrases, texts), phrases, mentioned, shares)
def test_a_found_pair_scores_as_the_same_pair_in_the_index(
    brute_force_index, indexed, outside, question, name, chit_chat
):
    """Found outside or indexed, S is h * BM25 with the same statistics; both tie and stand side by side."""
    twin = pair("twin-0", Source.SEARCH, *outside)
    known = [pair(f"{n:02}", *each) for n, each in enumerate(indexed)] + [twin]
    mentions = mentions_of(name)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = EmbeddedIndex(Path(folder))
        index.replace(known, analyser=ANALYSER, stamp="1")
        ranker = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[COURSE])
        asked = ranker.ask(question, course=COURSE, mentions=mentions, chit_chat=chit_chat)
        found = ranker.find(asked, 50, [replace(twin, id=PairId("twin-1"))])
    honest = brute_force_index()
    honest.replace(known, analyser=ANALYSER, stamp="1")
    query = build_query(question, mentions, ANALYSER)
    perfect = honest.perfect_bm25(query, COURSE.id)
    every = honest.score_all(query, source_weights(COURSE, [COURSE], chit_chat))
    expected = {c.pair.id: c.score / perfect for c in every}
    if "twin-0" in expected:
        expected[PairId("twin-1")] = expected[PairId("twin-0")]

    assert {c.pair.id: c.score for c in found} == pytest.approx(expected, rel=1e-4)
    for candidate in found:
        if candidate.pair.source is Source.SEARCH:
            assert candidate.weight == chit_chat
            assert candidate.score == pytest.approx(chit_chat * candidate.bm25, rel=1e-6)
    order = [(-c.score, c.pair.id) for c in found]
    assert order == sorted(order)


@given(st.integers(0, 200_000))
def test_lengths_are_kept_as_lucene_keeps_them(length):
    """Exact to 40 tokens, never longer than the truth, and within an eighth of it; a kept length stays."""
    kept = kept_length(length)
    assert kept <= length
    assert length - kept <= length / 8
    assert length > 40 or kept == length
    assert kept_length(kept) == kept


def test_top_counts_both(tmp_path):
    """Found pairs compete for the same places, and nothing found changes nothing."""
    index = EmbeddedIndex(tmp_path)
    index.replace([pair(str(n), Source.FAQ, "stack", "-") for n in range(3)], analyser=ANALYSER, stamp="1")
    ranker = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=[COURSE])
    found = [pair("w", Source.SEARCH, "stack", "stack")]

    def top(number, found):
        asked = ranker.ask("stack", course=COURSE, mentions=[], chit_chat=1.0)
        return [candidate.pair.id for candidate in ranker.find(asked, number, found)]

    assert top(9, found) == ["w", "0", "1", "2"]
    assert top(2, found) == ["w", "0"]
    assert top(2, []) == ["0", "1"]
    assert top(0, found) == []
