"""The top K of the embedded index under S(z, q) is that of scoring every pair in plain Python."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_platforms import chit_chats, domain_sets, mentioned, mentions_of, platforms

from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import CONCEPT_BOOST, ConceptAwareRanker, g, source_weights
from vta.text import Analyser
from vta.types.courses import Course
from vta.types.pairs import QAPair, SearchQuery, Source

ANALYSER = Analyser(["栈", "队列", "链表", "二叉树"])
WORDS = [
    "栈",
    "队列",
    "链表",
    "二叉树",
    "插入",
    "复杂度",
    "后进先出",
    "stack",
    "queues",
    "linked",
    "tree",
    "cost",
]

phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
long_texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)


def weight_of(pair: QAPair, course: Course, courses: list[Course], chit_chat: float) -> float:
    """The paper's weight of one pair: g for concepts, h for search results, 1 for the rest; 0 is unseen."""
    if pair.source is Source.CONCEPT:
        owner = next(each for each in courses if each.id == pair.course_id)
        both = set(owner.domains) & set(course.domains)
        either = set(owner.domains) | set(course.domains)
        return len(both) / len(either) if either else 0.0
    if pair.course_id != course.id:
        return 0.0
    return chit_chat if pair.source is Source.SEARCH else 1.0


@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(platforms(phrases, long_texts, most=25), phrases, mentioned, chit_chats, st.integers(1, 12))
def test_the_top_pairs_are_those_of_brute_force(brute_force_index, platform, question, name, chit_chat, top):
    """Same scores, no better pair left out, best first, ties by id; no pair that the course may not see."""
    courses, pairs = platform
    course = courses[0]
    mentions = mentions_of(name)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        index = EmbeddedIndex(Path(folder))
        index.replace(pairs, analyser=ANALYSER, stamp="1")
        ranker = ConceptAwareRanker(index=index, analyser=ANALYSER, courses=courses)
        asked = ranker.ask(question, course=course, mentions=mentions, chit_chat=chit_chat)
        found = ranker.find(asked, top)
    honest = brute_force_index()
    honest.replace(pairs, analyser=ANALYSER, stamp="1")
    words = dict.fromkeys(ANALYSER.content_words(question), 1.0)
    grams = dict.fromkeys(ANALYSER.content_grams(question), 1.0)
    if name:
        words |= dict.fromkeys(ANALYSER.words(name), CONCEPT_BOOST)
        grams |= dict.fromkeys(ANALYSER.content_grams(name), CONCEPT_BOOST)
    query = SearchQuery(words=tuple(words.items()), grams=tuple(grams.items()))
    every = {
        c.pair.id: c.score / honest.perfect_bm25(query, c.pair.course_id)
        for c in honest.score_all(query, source_weights(course, courses, chit_chat))
    }

    assert len(found) == min(top, len(every))
    for candidate in found:
        assert candidate.weight == pytest.approx(weight_of(candidate.pair, course, courses, chit_chat))
        assert candidate.weight > 0
        assert candidate.score == pytest.approx(every[candidate.pair.id], rel=1e-4)
        assert candidate.score == pytest.approx(candidate.weight * candidate.bm25, rel=1e-6)
    order = [(-c.score, c.pair.id) for c in found]
    assert order == sorted(order)
    taken = {c.pair.id for c in found}
    worst = found[-1] if found else None
    for id, score in every.items():
        if id not in taken:
            assert worst is not None
            assert score <= worst.score * (1 + 1e-4)


@given(domain_sets, domain_sets)
def test_g_is_symmetric_and_a_share(one, other):
    """g is the same both ways, in 0..1, 1 exactly for equal sets and 0 exactly for disjoint ones."""
    assert g(one, other) == g(other, one)
    assert 0.0 <= g(one, other) <= 1.0
    assert (g(one, other) == 1.0) == (set(one) == set(other) and bool(one))
    assert (g(one, other) == 0.0) == set(one).isdisjoint(other)


@given(platforms(phrases, long_texts, most=25), chit_chats)
def test_nothing_of_another_course_is_selected_but_concepts_of_a_shared_domain(platform, chit_chat):
    """Weights exist for the course's own pairs, and for concepts of courses with a domain in common."""
    courses, _ = platform
    course = courses[0]
    for weight in source_weights(course, courses, chit_chat):
        assert weight.weight > 0
        if weight.course_id != course.id:
            owner = next(each for each in courses if each.id == weight.course_id)
            assert weight.source is Source.CONCEPT
            assert set(owner.domains) & set(course.domains)
