"""An index that was updated finds what one built anew from the same pairs finds, on both engines."""

from __future__ import annotations

import tempfile
from pathlib import Path

import factories as make
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowledge.index import STALE_SHARE
from knowledge.index.embedded import EmbeddedIndex
from knowledge.ranking import build_query
from vta.errors import LimitExceeded
from vta.text import Analyser
from vta.types.courses import CourseId
from vta.types.pairs import QAPair, Source, SourceWeight

ANALYSER = Analyser(["栈", "队列", "链表", "二叉树"])
WORDS = "栈 队列 链表 二叉树 插入 复杂度 后进先出 stack queues linked tree cost".split()
COURSE = CourseId("c")
WEIGHTS = [SourceWeight(source=Source.FAQ, course_id=COURSE, weight=1.0, question=1.0, answer=0.4)]

phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
answers = st.lists(st.sampled_from(WORDS), min_size=1, max_size=50).map(" ".join)
texts = st.tuples(phrases, answers)
steps = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 70), texts, max_size=4), st.sets(st.integers(0, 70), max_size=3)
    ),
    min_size=1,
    max_size=4,
)


def pair(number: int, text: tuple[str, str]) -> QAPair:
    return make.pair(*text, id=f"{number:03}", course=COURSE)


FIRST = [pair(n, (" ".join(WORDS[n % 5 : n % 7 + 3]), WORDS[n % 11])) for n in range(60)]


@settings(max_examples=examples(20), suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(texts, max_size=6), min_size=1, max_size=4), phrases)
def test_pairs_put_into_the_embedded_index_rank_as_if_built_with_it(brute_force_index, added, question):
    """Scores and statistics are those of all pairs, in however many updates they came."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        _put_only(EmbeddedIndex(Path(folder)), brute_force_index(), added, question)


@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck))
@given(st.lists(st.lists(texts, max_size=6), min_size=1, max_size=3), phrases)
def test_pairs_put_into_elasticsearch_rank_as_if_built_with_it(on_server, brute_force_index, added, question):
    """As on the embedded engine."""
    _put_only(on_server, brute_force_index(), added, question)


@settings(max_examples=examples(20), suppress_health_check=list(HealthCheck))
@given(steps, phrases)
def test_edits_of_the_embedded_index_leave_what_was_put_last(brute_force_index, made, question):
    """Every pair that is there is found as it is now, and none that is gone; stale ones stay few."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        _edit(EmbeddedIndex(Path(folder)), brute_force_index(), made, question)


@settings(max_examples=examples(6), suppress_health_check=list(HealthCheck))
@given(steps, phrases)
def test_edits_of_elasticsearch_leave_what_was_put_last(on_server, brute_force_index, made, question):
    """As on the embedded engine."""
    _edit(on_server, brute_force_index(), made, question)


def _put_only(index, honest, added, question) -> None:
    pairs = list(FIRST)
    index.replace(pairs, analyser=ANALYSER, stamp="0")
    for n, new in enumerate(added):
        put = [pair(100 + len(pairs) + k, text) for k, text in enumerate(new)]
        index.update(put=put, remove={}, analyser=ANALYSER, since=str(n), stamp=str(n + 1))
        pairs += put
    honest.replace(pairs, analyser=ANALYSER, stamp="0")
    query = build_query(question, (), ANALYSER)
    found, expected = (each.search(query, WEIGHTS, 200) for each in (index, honest))
    assert {c.pair.id: c.score for c in found} == pytest.approx(
        {c.pair.id: c.score for c in expected}, rel=1e-4
    )
    told, counted = index.statistics(query, COURSE), honest.statistics(query, COURSE)
    assert (told.documents, told.frequencies) == (counted.documents, counted.frequencies)
    assert told.average_lengths == pytest.approx(counted.average_lengths, rel=1e-5)


def _edit(index, honest, made, question) -> None:
    pairs = {each.id: each for each in FIRST}
    index.replace(FIRST, analyser=ANALYSER, stamp="0")
    for n, (new, gone) in enumerate(made):
        put = [pair(number, text) for number, text in new.items()]
        removed = {pair(number, ("", "")).id for number in gone}.difference(each.id for each in put)
        remove = dict.fromkeys(removed, COURSE)
        pairs = {id: each for id, each in pairs.items() if id not in remove}
        pairs |= {each.id: each for each in put}
        stamp = str(n + 1)
        try:
            index.update(put=put, remove=remove, analyser=ANALYSER, since=str(n), stamp=stamp)
        except LimitExceeded:
            index.replace(pairs.values(), analyser=ANALYSER, stamp=stamp)
    honest.replace(pairs.values(), analyser=ANALYSER, stamp="0")
    query = build_query(question, (), ANALYSER)
    found, expected = (each.search(query, WEIGHTS, 200) for each in (index, honest))
    assert {c.pair.id: c.pair for c in found} == {c.pair.id: c.pair for c in expected}
    assert len(found) == len(expected)
    stale = index.statistics(query, COURSE).documents - len(pairs)
    assert 0 <= stale <= STALE_SHARE * len(pairs) + STALE_SHARE * 3  # the bound counts before the removals
