"""Fusion changes the order and nothing else: S stays S, and it is exact for pairs that only vectors found."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_platforms import chit_chats, platforms

from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import ConceptAwareRanker
from knowledge.vectors.embedded import EmbeddedVectors, VectorFile
from knowledge.vectors.fusion import K, VectorSide, reciprocal_ranks
from vta.text import Analyser

ANALYSER = Analyser(["栈", "队列"])
WORDS = "栈 队列 插入 复杂度 stack queues linked tree cost".split()
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
rankings = st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=3)


@given(rankings)
def test_reciprocal_ranks_sum_over_the_rankings(given_rankings):
    """Every id has the sum of 1 / (60 + rank), and a better place in any ranking is worth more."""
    fused = reciprocal_ranks(given_rankings)
    assert set(fused) == {each for ranking in given_rankings for each in ranking}
    for each, value in fused.items():
        ranks = [ranking.index(each) + 1 for ranking in given_rankings if each in ranking]
        assert value == pytest.approx(sum(1 / (K + rank) for rank in ranks))


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    platforms(phrases, phrases, most=25),
    phrases,
    chit_chats,
    st.sampled_from([-1.0, 0.3, 0.78, 1.1]),
    st.integers(1, 12),
)
def test_s_is_that_of_words_alone(word_vectors, platform, question, chit_chat, threshold, top):
    """Pairs found by words keep their S, others have 0; order is that of both rankings; top is a prefix."""
    courses, pairs = platform
    model = word_vectors()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = EmbeddedIndex(Path(folder), beside=VectorFile(model))
        index.replace(pairs, analyser=ANALYSER, stamp="1")
        words = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)
        side = VectorSide(
            embedder=model, index=EmbeddedVectors(index, model=model.name), threshold=threshold, nearest=5
        )
        asked = {"course": courses[0], "mentions": (), "chit_chat": chit_chat}
        by_words = words.rank(question, **asked, top=100).candidates
        ranking = side.fuse(words, courses).rank(question, **asked, top=100)
        few = side.fuse(words, courses).rank(question, **asked, top=top).candidates
    assert ranking.degraded is None
    assert few == ranking.candidates[:top]
    scores = {c.pair.id: c.score for c in by_words}
    found = {c.pair.id: c for c in ranking.candidates}
    assert set(scores) <= set(found)
    near = [c for c in ranking.candidates if c.similarity is not None]
    assert len(near) <= 5
    for id, candidate in found.items():
        assert candidate.score == pytest.approx(scores.get(id, 0.0), rel=1e-4)
        assert id in scores or candidate.similarity >= threshold
    by_similarity = sorted(near, key=lambda c: (-c.similarity, c.pair.id))
    fused = reciprocal_ranks([[c.pair.id for c in by_words], [c.pair.id for c in by_similarity]])
    values = [fused[c.pair.id] for c in ranking.candidates]
    assert values == sorted(values, reverse=True)


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
        side = VectorSide(embedder=model, index=EmbeddedVectors(index, model=model.name))
        asked = {"course": courses[0], "mentions": (), "chit_chat": 0.0, "top": top}
        model.down = True
        ranking = side.fuse(words, courses).rank(question, **asked)
        assert ranking.candidates == words.rank(question, **asked).candidates
    assert ranking.degraded is not None
    assert (ranking.degraded.stage, "cannot be reached" in ranking.degraded.reason) == ("vectors", True)
