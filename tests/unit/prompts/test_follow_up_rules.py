"""What a later question wants of the turns before it: an operation, an item of a list, or their subject."""

from __future__ import annotations

import factories as make
import pytest

from vta.dialogue.follow_up import FollowUp, read_follow_up, stands_alone
from vta.text import Analyser
from vta.types.answers import PastTurn, Route
from vta.types.questions import PLAIN


def turn(question: str, *, standalone: str = "", answer: str = "", route: Route = Route.DIRECT) -> PastTurn:
    return make.past_turn(question, answer, standalone_question=standalone or question, route=route)


STACK, THANKS = turn("What is a stack?"), turn("thank you", route=Route.CHIT_CHAT)


def read(question: str, *history: PastTurn) -> FollowUp:
    return read_follow_up(question, history=history, mentions=(), analyser=Analyser())


INCOMPLETE = [
    "is it fast?", "and the decoder?", "what about cycles", "how many folds", "why not just one split",
    "that one overfits?", "what if they are complements", "那队列呢？", "它的时间复杂度呢？", "那怎么解决",
    "怎么避免", "这个能避免吗", "和数组呢", "when?", "how so", "thats fast and safe?",
]  # fmt: skip
COMPLETE = [
    "how do for loops work", "what does chebychev say", "how do I get an extension", "what is BPTT",
    "is a p value of 5% proof", "what is the bootstrap", "what is correlation", "entropy", "graphs",
    "where is hall A", "when is the midterm?", "can we use chatgpt for the project",
    "do we have homework this week", "why do printers serve jobs from a queue and is that fair",
    "熵", "什么是队列", "为什么归并排序需要额外空间", "这门课什么时候考试", "期末考试什么时候",
    "固定资产减值准备能转回吗", "thanks", "ok", "is there homework", "will there be exams?",
    "who is the instructor", "可以组队吗",
]  # fmt: skip


@pytest.mark.parametrize("question", INCOMPLETE)
def test_a_question_that_cannot_be_understood_alone_carries_the_one_that_opened_the_subject(
    question: str,
) -> None:
    found = read(question, STACK)
    assert (found.resolved, found.standalone) == (question, f"What is a stack? {question}")
    assert found.style == PLAIN


@pytest.mark.parametrize("question", COMPLETE)
def test_a_question_that_names_its_own_subject_stands_alone(question: str) -> None:
    assert read(question, STACK).standalone == question


def test_a_named_concept_stands_for_the_subject_of_a_pronoun_and_not_after_and() -> None:
    named = (make.mention("stack"),)
    assert stands_alone("is a stack its own thing", named, Analyser())
    assert not stands_alone("and a stack?", named, Analyser())


def test_how_the_course_is_run_is_a_subject_of_its_own() -> None:
    """What is asked on about that goes on with it."""
    midterm = turn("when is the midterm?")
    assert read("who is the instructor", STACK).standalone == "who is the instructor"
    assert read("what room", midterm).standalone == "when is the midterm? what room"


def test_the_opening_question_is_carried_through_the_turns_that_went_on_with_it() -> None:
    """Not the one just before, so that what is searched for does not grow."""
    later = turn("why does it need that?", standalone="What is a stack? why does it need that?")
    assert read("is it fast?", STACK, later).standalone == "What is a stack? is it fast?"


def test_a_question_that_did_not_go_on_opens_the_next_subject() -> None:
    assert read("is it fast?", STACK, turn("What is a queue?")).standalone == "What is a queue? is it fast?"


def test_small_talk_between_does_not_hide_the_subject() -> None:
    found = read("is it fast?", STACK, THANKS)
    assert found.standalone == "What is a stack? is it fast?"
    assert read("why?", STACK, THANKS).resolved == "What is a stack? why?"


@pytest.mark.parametrize("question", ["它的时间复杂度呢？", "why?", " what about it? ", ""])
@pytest.mark.parametrize("history", [(), (THANKS, turn("hack", route=Route.REFUSED))])
def test_a_first_question_about_the_course_carries_nothing(
    question: str, history: tuple[PastTurn, ...]
) -> None:
    found = read(question, *history)
    assert found == FollowUp(resolved=question, standalone=question)


def test_repeated_operations_do_not_make_the_question_longer() -> None:
    history = [STACK]
    for question in ("why?", "give me an example", "why?", "shorter", "why?", "why?"):
        asked = read(question, *history).resolved
        history.append(turn(question, standalone=asked))
    assert asked == "What is a stack? why?"
