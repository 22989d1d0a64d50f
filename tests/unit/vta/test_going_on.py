"""Going on with a subject: what was told is not told again, and what is asked for comes first."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from small_platform import SmallPlatform

from vta.dialogue.going_on import (
    WEIGHTS,
    Signs,
    head_of,
    last_answered,
    likely_to_go_on,
    offer_anew,
    read_signs,
    told_before,
)
from vta.dialogue.grounding import cite
from vta.kinds import Kind
from vta.patterns import read_table
from vta.text import Analyser
from vta.types import Answer, Candidate, CourseId, PairId, PastTurn, QAPair, Question, Route, Source, Wish


def candidate(name: str, answer: str, *, document: str | None = None, score: float = 1.0) -> Candidate:
    source = Source.FAQ if document is None else Source.MATERIAL
    pair = QAPair(
        id=PairId(name),
        course_id=CourseId("c"),
        source=source,
        question=name,
        answer=answer,
        document=document,
    )
    return Candidate(pair=pair, bm25=score, weight=1.0, score=score)


def names(candidates: tuple[Candidate, ...]) -> list[str]:
    return [candidate.pair.id for candidate in candidates]


WHY_PRINT = "Why do printers serve all jobs from a queue?"
ALL_SAID = ("That is all", "关于这一点")
PROSE = candidate("prose", "A stack is changed at one end.", document="stack.md")
CODE = candidate("code", "```python\nstack.append(1)\n```", document="stack.md")
OTHER_CODE = candidate("other", "```python\nqueue.popleft()\n```", document="queue.md")
FAQ = candidate("faq", "Last in, first out.")


def test_where_the_cited_document_holds_code_there_is_only_that() -> None:
    found = offer_anew(
        (PROSE, OTHER_CODE),
        (CODE,),
        wish=Wish(kinds=frozenset({Kind.CODE})),
        concepts=(),
        cited=(cite(1, PROSE),),
    )
    assert names(found) == ["code"]


def test_what_was_told_whole_is_left_out_and_what_was_cited_comes_last() -> None:
    wish = Wish(told=("Last in, first out. [1]",))
    assert names(offer_anew((FAQ, PROSE, CODE), (), wish=wish, concepts=(), cited=(cite(1, PROSE),))) == [
        "code",
        "prose",
    ]


def test_a_shorter_answer_comes_from_the_same_passages() -> None:
    wish = Wish(shorter=True, told=("Last in, first out. [1]",))
    assert names(offer_anew((FAQ, PROSE), (CODE,), wish=wish, concepts=(), cited=(cite(1, FAQ),))) == [
        "faq",
        "prose",
    ]


def turn(question: str, standalone: str) -> PastTurn:
    return replace(past(""), question=question, standalone_question=standalone)


def past(answer: str, *concepts: str, route: Route = Route.DIRECT) -> PastTurn:
    return PastTurn(
        question="?", standalone_question="?", answer=answer, route=route, concepts=concepts, flagged=False
    )


def test_told_are_the_answers_of_the_course_and_no_small_talk() -> None:
    history = [past("queue", "queue"), past("stack", "stack"), past("cost", "stack", "cost")]
    small_talk = past("hi", "cost", route=Route.CHIT_CHAT)
    assert told_before([*history, small_talk]) == ("queue", "stack", "cost")
    assert last_answered([*history, small_talk]) is history[-1]
    assert told_before([small_talk]) == ()


def test_the_head_of_a_turn_is_the_question_that_opened_its_subject() -> None:
    opening = turn("What is a stack?", "What is a stack?")
    later = turn(" is it fast? ", "What is a stack? is it fast?")
    shorter, named = turn("shorter", "What is a stack?"), turn("the second one?", "Random features?")
    assert [head_of(each) for each in (opening, later, shorter)] == ["What is a stack?"] * 3
    assert head_of(named) == "Random features?"


def signs(**more: float) -> Signs:
    return Signs(**{**dict.fromkeys((each.name for each in fields(Signs)), 0.0), **more})


def test_a_bare_question_that_only_the_subject_finds_something_for_goes_on() -> None:
    assert likely_to_go_on(signs(alone=-3.0, carried=3.0, coverage=1.0, words=0.0)) > 0.9


def test_a_long_question_that_names_a_concept_and_is_sure_of_its_passage_does_not() -> None:
    assert likely_to_go_on(signs(alone=3.0, carried=0.0, words=math.log1p(6), named=1.0)) < 0.1


@pytest.mark.parametrize(
    ("sign", "more"),
    [
        ("alone", False),
        ("carried", True),
        ("coverage", True),
        ("words", False),
        ("named", False),
        ("common", True),
        ("defines", False),
        ("refers", True),
    ],
)
def test_each_sign_speaks_for_going_on_or_against_it_everywhere(sign: str, more: bool) -> None:
    """A fit in which a passage found with the subject speaks against the subject would be a wrong one."""
    chances = [likely_to_go_on(signs(**{sign: value})) for value in (0.0, 0.5, 1.0)]
    assert chances == sorted(chances, reverse=not more)
    assert len(set(chances)) == 3


def read(small: SmallPlatform, question: str, head: str) -> Signs:
    return read_signs(
        question,
        f"{head} {question}",
        course=small.courses.course(CourseId("stacks-en")),
        knowledge=small.knowledge.current(),
        analyser=Analyser(),
    )


def test_the_signs_are_those_of_the_question_and_of_what_it_shares_with_the_subject(
    small: SmallPlatform,
) -> None:
    bare, other = read(small, "is it fast?", "What is a stack?"), read(small, WHY_PRINT, "What is a stack?")
    assert (bare.named, bare.common, bare.words) == (0.0, 0.0, math.log1p(1))
    assert (other.named, other.common) == (1.0, 0.0)
    assert read(small, "can a stack be empty?", "What is a stack?").common == 1.0
    assert (bare.refers, other.refers) == (1.0, 0.0)
    assert bare.carried > bare.alone
    assert likely_to_go_on(bare) > 0.5 > likely_to_go_on(other)


def test_the_weights_are_named_as_the_signs() -> None:
    assert set(read_table("vta.dialogue", WEIGHTS)) == {"bias", *(each.name for each in fields(Signs))}


async def say(small: SmallPlatform, course: str, *questions: str) -> list[str]:
    texts, session = [], None
    for question in questions:
        asked = Question(course_id=CourseId(course), text=question, session_id=session)
        answer = await small.assistant().answer(asked)
        session = answer.session_id
        texts.append(answer.text)
    return texts


@pytest.mark.parametrize(
    ("course", "questions"),
    [
        ("stacks-en", ("What is a stack?", "simpler please", "more", "anything else?")),
        ("stacks-zh", ("什么是栈？", "还有呢", "没懂", "继续")),
        ("stacks-en", ("What is a deque?", "why?", "example?", "more")),
    ],
)
async def test_no_operation_gives_an_answer_again(
    small: SmallPlatform, course: str, questions: tuple[str, ...]
) -> None:
    """Where nothing is left, it says so, as often as it is asked."""
    texts = await say(small, course, *questions)
    assert all(text not in texts[:n] or text.startswith(ALL_SAID) for n, text in enumerate(texts))


async def test_where_names_the_place_and_cites_it(small: SmallPlatform) -> None:
    texts = await say(small, "stacks-en", "Why do editors undo with a stack?", "where is that?")
    assert texts[-1] == "Stacks › Undo [1]"


async def steps(small: SmallPlatform, *questions: str, course: str = "stacks-en") -> list[Answer]:
    answers: list[Answer] = []
    for question in questions:
        session = answers[-1].session_id if answers else None
        asked = Question(course_id=CourseId(course), text=question, session_id=session)
        answers.append(await small.assistant().answer(asked))
    return answers


async def test_a_question_that_goes_on_is_searched_with_the_one_that_opened_the_subject(
    small: SmallPlatform,
) -> None:
    _, later, third = await steps(small, "What is a stack?", "why is that useful", "is it fast?")
    assert later.standalone_question == "What is a stack? why is that useful"
    assert third.standalone_question == "What is a stack? is it fast?"
    assert {each.document for each in later.citations} == {"notes/stack.md"}


@pytest.mark.parametrize(
    ("course", "opening", "question"),
    [
        ("stacks-en", "What is a stack?", "How does it differ from a queue?"),
        ("stacks-zh", "什么是栈？", "它和队列有什么区别？"),
    ],
)
async def test_a_question_that_names_another_concept_beside_it_goes_on(
    small: SmallPlatform, course: str, opening: str, question: str
) -> None:
    """Both are named in the answer, though only the other is named in the question."""
    _, later = await steps(small, opening, question, course=course)
    assert later.standalone_question == f"{opening} {question}"
    assert len(later.concepts) == 2


async def test_a_question_on_another_subject_is_answered_as_in_a_new_conversation(
    small: SmallPlatform,
) -> None:
    (alone,) = await steps(small, WHY_PRINT)
    *_, after = await steps(small, "What is a stack?", "why is that useful", WHY_PRINT)
    assert after.standalone_question == WHY_PRINT
    assert (after.text, after.route, after.citations) == (alone.text, alone.route, alone.citations)
