"""The two ways in which the embedded index searches find the same pairs."""

from __future__ import annotations

import random

import pytest

from knowledge.index import embedded_search
from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.embedded_search import id_number
from knowledge.ranking import build_query, source_weights
from vta.text import Analyser
from vta.types import Course, CourseId, Language, PairId, QAPair, SearchQuery, Source

ANALYSER = Analyser()
WORDS = [f"word{n}x" for n in range(60)] + ["二叉树", "链表", "队列"]
COURSES = [
    Course(id=CourseId(f"c{n}"), name="C", domains=domains, language=Language.EN)
    for n, domains in enumerate([("maths",), ("maths", "physics"), ("biology",)])
]


@pytest.fixture(autouse=True, scope="module")
def few_are_many():
    """As if these few pairs were more than are simply looked through."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(embedded_search, "FEW", 0)
        yield


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """2,000 pairs of all sources in three courses, a third of them equal to others but for their ids."""
    draw = random.Random(7)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(1, 5))) for _ in range(1_300)]
    pairs = [
        QAPair(
            id=PairId(f"{draw.randrange(10**12):012}"),
            course_id=draw.choices(COURSES, (8, 3, 1))[0].id,
            source=draw.choices(list(Source), (3, 1, 5, 4))[0],
            question=draw.choice(texts),
            answer=draw.choice(texts),
        )
        for _ in range(2_000)
    ]
    index = EmbeddedIndex(tmp_path_factory.mktemp("index"))
    index.replace(pairs, analyser=ANALYSER, stamp="1")
    return index


@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("top", [1, 5, 40])
def test_the_flat_search_finds_what_the_search_within_groups_finds(index, monkeypatch, course, top):
    """The same pairs in the same order, although one passes over blocks and the other looks at every pair."""
    draw = random.Random(top)
    for _ in range(15):
        question = " ".join(draw.choices(WORDS, k=draw.randint(1, 4)))
        query = build_query(question, [], ANALYSER)
        weights = source_weights(course, COURSES, 0.3)
        with monkeypatch.context() as patched:
            patched.setattr(embedded_search, "_SMALLEST_SHARE", 0.0)
            flat = index.search(query, weights, top)
        with monkeypatch.context() as patched:
            patched.setattr(embedded_search, "_SMALLEST_SHARE", 2.0)
            within = index.search(query, weights, top)
        assert [c.pair.id for c in flat] == [c.pair.id for c in within]
        assert [c.score for c in flat] == pytest.approx([c.score for c in within], rel=1e-5)


def test_a_flat_search_that_would_fetch_too_much_is_given_up(index, monkeypatch):
    """Groups far down the list of all hits are searched by themselves, with the same result."""
    query = SearchQuery(words=(("word1x", 1.0), ("word2x", 0.5)), grams=())
    weights = source_weights(COURSES[2], COURSES, 0.3)
    expected = index.search(query, weights, 20)
    monkeypatch.setattr(embedded_search, "_SMALLEST_SHARE", 0.0)
    monkeypatch.setattr(embedded_search, "_MOST_FETCHED", 1)
    assert index.search(query, weights, 20) == expected


def test_ids_are_numbered_in_their_order():
    """No id comes before another whose number is smaller."""
    ids = [PairId(id) for id in ("", "0", "00", "1", "a", "ab", "abcdefgh", "abcdefghi", "é", "栈", "𠀀")]
    numbers = list(map(id_number, ids))
    assert numbers == sorted(numbers)
