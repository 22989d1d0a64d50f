"""Going on with a subject: what was told is not told again, and what is asked for comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_platform import SmallPlatform

from vta.dialogue.going_on import goes_on, last_answered, offer_anew, on_subject, told_before
from vta.dialogue.grounding import cite
from vta.kinds import Kind
from vta.types import Candidate, CourseId, PairId, PastTurn, QAPair, Question, Route, Source, Wish


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


@pytest.mark.parametrize(
    ("question", "is_about_it"), [("how does undo work in editors", True), ("zebra recipes", False)]
)
def test_a_question_goes_on_where_the_subjects_passages_hold_its_words(
    small: SmallPlatform, question: str, is_about_it: bool
) -> None:
    knowledge, course = small.knowledge.current(), small.courses.course(CourseId("stacks-en"))
    carried = f"stack: {question}"
    mentions = knowledge.linker.link(carried, course=course)
    found = goes_on(
        question, carried, course=course, mentions=mentions, chit_chat=0.0, ranker=knowledge.ranker
    )
    assert found is is_about_it


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


def test_a_question_without_a_subject_is_answered_on_the_last_one_where_that_holds_its_words() -> None:
    shares = {"code": 0.9, "other": 1.0, "prose": 0.2}
    last = replace(past("…"), citations=(cite(1, PROSE),))
    candidates = (OTHER_CODE, PROSE, CODE)
    assert names(on_subject(candidates, last, lambda c: shares[c.pair.id])) == ["code"]
    assert on_subject(candidates, past("…"), lambda c: shares[c.pair.id]) == candidates
