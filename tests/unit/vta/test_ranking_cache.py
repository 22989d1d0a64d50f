"""One turn ranks a text once; what fails or holds a search engine's pairs is not kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vta.dialogue.ranking_cache import RankingCache
from vta.errors import NotReady
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import Course, CourseId, PairId
from vta.types.pairs import Candidate, QAPair, Ranking, Source

COURSE = Course(id=CourseId("ds"), name="Stacks", domains=("cs",), language=Language.EN)


def candidate(name: str) -> Candidate:
    pair = QAPair(id=PairId(name), course_id=COURSE.id, source=Source.FAQ, question=name, answer=name)
    return Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0)


class Counting:
    """Ranks forty pairs, and tells how often it was asked."""

    def __init__(self, *, fails: int = 0) -> None:
        self.asked: list[str] = []
        self._fails = fails

    def rank(self, question, *, course, mentions, chit_chat, top, found=()):
        self.asked.append(question)
        if len(self.asked) <= self._fails:
            raise NotReady(Fault("knowledge.index_behind"))
        names = [*(pair.question for pair in found), *(f"{question} {n}" for n in range(40))]
        return Ranking(terms=(), candidates=tuple(map(candidate, names))[:top])


def names(ranker: RankingCache, question: str, *, top: int, chit_chat: float = 0.0, found=()) -> list[str]:
    ranking = ranker.rank(question, course=COURSE, mentions=(), chit_chat=chit_chat, top=top, found=found)
    return [each.pair.question for each in ranking.candidates]


def test_a_text_is_ranked_once_however_many_are_wanted_of_it():
    inner = Counting()
    ranker = RankingCache(inner)
    assert names(ranker, "stack", top=1) == ["stack 0"]
    assert names(ranker, "stack", top=8, chit_chat=0.4) == [f"stack {n}" for n in range(8)]
    assert names(ranker, "queue", top=1) == ["queue 0"]
    assert len(names(ranker, "stack", top=35)) == 35
    assert inner.asked == ["stack", "queue", "stack"]


def test_pairs_of_a_search_engine_are_ranked_anew_and_not_kept():
    inner = Counting()
    ranker = RankingCache(inner)
    assert names(ranker, "stack", top=2, found=[candidate("web").pair]) == ["web", "stack 0"]
    assert names(ranker, "stack", top=2) == ["stack 0", "stack 1"]
    assert names(ranker, "stack", top=2, found=[candidate("web").pair]) == ["web", "stack 0"]
    assert len(inner.asked) == 3


def test_a_failure_is_not_kept():
    ranker = RankingCache(Counting(fails=1))
    with pytest.raises(NotReady):
        names(ranker, "stack", top=1)
    assert names(ranker, "stack", top=1) == ["stack 0"]


def test_what_two_passages_say_word_for_word_takes_one_place():
    """The first of them; entries of the FAQ with one answer stay."""

    class Twice:
        def rank(self, question, *, course, mentions, chit_chat, top, found=()):
            pairs = [candidate(name).pair for name in ("a", "b", "c", "d")]
            pairs[:3] = [
                replace(each, source=Source.MATERIAL, answer="A stack is a list.") for each in pairs[:3]
            ]
            pairs += [replace(each, answer="Yes.") for each in (candidate("e").pair, candidate("f").pair)]
            found = (Candidate(pair=pair, bm25=1.0, weight=1.0, score=1.0) for pair in pairs)
            return Ranking(terms=(), candidates=tuple(found))

    assert names(RankingCache(Twice()), "stack", top=8) == ["a", "d", "e", "f"]
