"""A model that fails in the middle: what it wrote stays, marked, and the course's answer stands below it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from talk import Talk

from prompts.phrases import TEXTS
from vta.languages import Language
from vta.types.answers import Route

WHY = {"stacks-en": "Why do editors undo with a stack?", "stacks-zh": "为什么编辑器用栈来撤销？"}
HALF = {
    "stacks-en": "Editors keep the last command on the top of the stack [1]. Random forests are bet",
    "stacks-zh": "编辑器把做过的操作放进栈里 [1]。随机森林更",
}
SHOWN = {
    "stacks-en": "Editors keep the last command on the top of the stack [1]. Random forests are",
    "stacks-zh": "编辑器把做过的操作放进栈里 [1]。随机森林更",
}


def first_line(text: str) -> str:
    """Without its marks, which are numbered only at the end."""
    return re.sub(r" \[\d+\]", "", text.strip().splitlines()[0])


@pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])
@pytest.mark.parametrize("fault", ["breaks off", "runs out of time"])
async def test_what_was_written_stays_and_the_offline_answer_stands_below_it(
    talk: Talk, course: str, fault: str
) -> None:
    """In the pieces as in the stored text; `degraded` says that the answer is incomplete, and why."""
    slow = talk.llm.events(talk.llm.chunk(HALF[course]), then_hang=True)
    scene = talk.llm.cut_after([HALF[course]]) if fault == "breaks off" else slow
    shown, answer = await talk.streamed(WHY[course], course, says=scene, timeout_s=1.0)
    offline = await talk.ask(WHY[course], course)
    break_mark = TEXTS[Language(course[-2:])]["broken_off"]
    assert shown.startswith(SHOWN[course])
    kept, _, below = answer.text.partition(break_mark)
    assert kept.rstrip() == SHOWN[course]
    assert first_line(below) == first_line(offline.text)
    assert first_line(shown.partition(break_mark)[2]) == first_line(offline.text)
    assert answer.route is Route.CHAIN_OF_TEACH
    assert any(each.quoted for each in offline.citations)
    assert not any(each.quoted for each in answer.citations), "it begins with words of a model"
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model_incomplete"
    (turn,) = talk.turns(answer)
    assert turn.answer == answer


@pytest.mark.parametrize("opened", ["```python\nstack = [", "Look:\n\n~~~\npush ", "As $$\nx = "])
async def test_a_block_that_was_left_open_does_not_swallow_what_stands_below(talk: Talk, opened: str) -> None:
    shown, answer = await talk.streamed(WHY["stacks-en"], says=talk.llm.cut_after([f"{opened}\n"]))
    fence = "$$" if "$$" in opened else "~~~" if "~~~" in opened else "```"
    mark = TEXTS[Language.EN]["broken_off"]
    for text in (shown, answer.text):
        above = text.partition(mark)[0]
        assert mark in text
        assert above.count(fence) == 2
        assert above.rstrip().endswith(fence)


async def test_small_talk_that_breaks_off_goes_on_below_a_mark(talk: Talk) -> None:
    shown, answer = await talk.streamed("hello", says=talk.llm.cut_after(["Hello, how are "]))
    assert answer.text.startswith("Hello, how are")
    assert shown.replace(" \n", "\n") == answer.text.replace(" \n", "\n")
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model_incomplete"


async def test_an_answer_cut_at_its_length_is_incomplete_but_no_outage(talk: Talk) -> None:
    answer = await talk.ask(WHY["stacks-en"], says=talk.llm.ok("A stack keeps [1] the last", finish="length"))
    assert answer.text.startswith("A stack keeps")
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model_incomplete"


async def test_instructions_that_a_model_repeats_are_taken_back_and_not_glued_to(talk: Talk) -> None:
    """The stored answer holds nothing of it; in the stream a rule stands before the answer of the course."""

    async def echo(call: Any) -> None:
        await talk.llm.ok("Sure. " + call.request.body["messages"][0]["content"])(call)

    shown, answer = await talk.streamed(WHY["stacks-en"], says=echo)
    offline = await talk.ask(WHY["stacks-en"])
    assert answer.text == offline.text
    assert shown.startswith("Sure. ")
    assert f"\n\n---\n\n{first_line(offline.text)}" in shown
