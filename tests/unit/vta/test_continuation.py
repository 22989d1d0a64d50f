"""Going on with a subject: what was told is not told again, and what is asked for comes first."""

from __future__ import annotations

import factories as make
import pytest
from talk import Talk

from vta.dialogue.grounding import cite
from vta.dialogue.history import already_said, choose_for_operation, head_of, last_answered
from vta.kinds import Kind
from vta.types.answers import Route
from vta.types.pairs import Candidate
from vta.types.questions import AnswerStyle

WHY_PRINT = "Why do printers serve all jobs from a queue?"
ALL_SAID = ("That is all", "关于这一点")
PROSE = make.candidate(
    make.pair("prose", "A stack is changed at one end.", source=make.MATERIAL, document="stack.md")
)
CODE = make.candidate(
    make.pair("code", "```python\nstack.append(1)\n```", source=make.MATERIAL, document="stack.md")
)
OTHER_CODE = make.candidate(
    make.pair("other", "```python\nqueue.popleft()\n```", source=make.MATERIAL, document="queue.md")
)
FAQ = make.candidate(make.pair("faq", "Last in, first out."))
SAID = ("Last in, first out. [1]",)


@pytest.mark.parametrize(
    ("candidates", "style", "cited", "chosen"),
    [
        ((PROSE, OTHER_CODE, CODE), AnswerStyle(kinds=frozenset({Kind.CODE})), PROSE, ["code"]),
        ((FAQ, PROSE, CODE), AnswerStyle(already_said=SAID), PROSE, ["code", "prose"]),
        ((FAQ, PROSE), AnswerStyle(shorter=True, already_said=SAID), FAQ, ["faq", "prose"]),
    ],
    ids=["code of the cited document alone", "no repeated text, cited ones last", "shorter: the same"],
)
def test_an_operation_is_made_from_the_candidates_that_suit_it(
    candidates: tuple[Candidate, ...], style: AnswerStyle, cited: Candidate, chosen: list[str]
) -> None:
    last = make.past_turn("?", citations=(cite(1, cited),))
    found = choose_for_operation(candidates, style=style, last=last)
    assert [candidate.pair.id for candidate in found] == chosen


def test_told_are_the_answers_of_the_course_and_no_small_talk() -> None:
    history = [make.past_turn("?", answer) for answer in ("queue", "stack", "cost")]
    small_talk = make.past_turn("?", "hi", route=Route.CHIT_CHAT)
    assert already_said([*history, small_talk]) == ("queue", "stack", "cost")
    assert last_answered([*history, small_talk]) is history[-1]
    assert already_said([small_talk]) == ()


def test_the_head_of_a_turn_is_the_question_that_opened_its_subject() -> None:
    opening, later, shorter, named = (
        make.past_turn(question, standalone_question=standalone)
        for question, standalone in (
            ("What is a stack?", "What is a stack?"),
            (" is it fast? ", "What is a stack? is it fast?"),
            ("shorter", "What is a stack?"),
            ("the second one?", "Random features?"),
        )
    )
    assert [head_of(each) for each in (opening, later, shorter)] == ["What is a stack?"] * 3
    assert head_of(named) == "Random features?"


@pytest.mark.parametrize(
    ("course", "questions"),
    [
        ("stacks-en", ("What is a stack?", "simpler please", "more", "anything else?")),
        ("stacks-zh", ("什么是栈？", "还有呢", "没懂", "继续")),
        ("stacks-en", ("What is a deque?", "why?", "example?", "more")),
    ],
)
async def test_no_operation_gives_an_answer_again(
    talk: Talk, course: str, questions: tuple[str, ...]
) -> None:
    """Where nothing is left, it says so, as often as it is asked."""
    texts = [each.text for each in await talk.say(*questions, course=course)]
    assert all(text not in texts[:n] or text.startswith(ALL_SAID) for n, text in enumerate(texts))


async def test_where_names_the_place_and_cites_it(talk: Talk) -> None:
    _, answer = await talk.say("Why do editors undo with a stack?", "where is that?")
    assert answer.text == "Stacks › Undo [1]"


async def test_a_question_that_goes_on_is_searched_with_the_one_that_opened_the_subject(talk: Talk) -> None:
    _, later, third = await talk.say("What is a stack?", "why is that useful", "is it fast?")
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
    talk: Talk, course: str, opening: str, question: str
) -> None:
    """Both are named in the answer, though only the other is named in the question."""
    _, later = await talk.say(opening, question, course=course)
    assert later.standalone_question == f"{opening} {question}"
    assert len(later.concepts) == 2


async def test_a_question_on_another_subject_is_answered_as_in_a_new_conversation(talk: Talk) -> None:
    (alone,) = await talk.say(WHY_PRINT)
    *_, after = await talk.say("What is a stack?", "why is that useful", WHY_PRINT)
    assert after.standalone_question == WHY_PRINT
    assert (after.text, after.route, after.citations) == (alone.text, alone.route, alone.citations)
