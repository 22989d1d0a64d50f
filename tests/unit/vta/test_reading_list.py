"""What a language model reads: in the order of the course, with neighbours and further searches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import factories as make
import pytest

from vta.dialogue.reading_list import Librarian, ReadingList
from vta.types.pairs import Candidate
from vta.types.questions import Mode

PASSAGES = [make.passage(f"text {n}", "One" if n < 4 else "Two", id=f"p{n}") for n in range(6)]
FAQ = make.candidate(make.pair("When?", id="faq"))


def gather(*found: Candidate, later: tuple[Candidate, ...] = (), mode: Mode = Mode.ANSWER) -> ReadingList:
    """The reading list of what was found, where one more search finds what is `later`."""
    ranker = SimpleNamespace(rank=lambda *_, **__: SimpleNamespace(candidates=later))
    knowledge = SimpleNamespace(ranker=ranker, linker=SimpleNamespace(link=lambda *_, **__: ()))
    context = make.understood("?", mode=mode, knowledge=knowledge)
    documents: Any = SimpleNamespace(passages=lambda *_: tuple(PASSAGES))
    return Librarian(documents).gather(context, found, *(["another search"] if later else []))


def names(read: ReadingList) -> list[str]:
    return [str(each.pair.id) for each in read.candidates]


def test_numbers_follow_the_rank_and_the_order_follows_the_course() -> None:
    read = gather(make.candidate(PASSAGES[5]), make.candidate(PASSAGES[1]))
    assert names(read)[:2] == ["p5", "p1"]
    assert [names(read)[n - 1] for n in read.order] == ["p0", "p1", "p2", "p4", "p5"]


def test_neighbours_of_the_best_are_added_within_their_section() -> None:
    assert names(gather(make.candidate(PASSAGES[3]))) == ["p3", "p2"]


def test_what_another_search_finds_comes_after_what_was_found_and_once() -> None:
    later = make.candidate(PASSAGES[5]), FAQ
    assert names(gather(FAQ, later=later))[:2] == ["faq", "p5"]
    assert names(gather(FAQ, later=later)).count("faq") == 1


@pytest.mark.parametrize(("mode", "is_read"), [(Mode.ANSWER, True), (Mode.HINT, False)])
def test_a_hint_is_given_without_the_faq(mode: Mode, is_read: bool) -> None:
    assert ("faq" in names(gather(make.candidate(PASSAGES[0]), FAQ, mode=mode))) is is_read
