"""A model that fails in the middle: what it wrote stays, marked, and the course's answer stands below it."""

from __future__ import annotations

import re
from contextlib import aclosing
from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

from prompts import phrases
from vta.types import Answer, CourseId, Delta, Language, Question, Route, Unsupported

WHY = {"stacks-en": "Why do editors undo with a stack?", "stacks-zh": "为什么编辑器用栈来撤销？"}
HALF = {
    "stacks-en": "Editors keep the last command on the top of the stack [1]. Random forests are bet",
    "stacks-zh": "编辑器把做过的操作放进栈里 [1]。随机森林更",
}
SHOWN = {
    "stacks-en": "Editors keep the last command on the top of the stack [1]. Random forests are",
    "stacks-zh": "编辑器把做过的操作放进栈里 [1]。随机森林更",
}


def ask(course: str, text: str | None = None) -> Question:
    return Question(course_id=CourseId(course), text=text or WHY[course])


def first_line(text: str) -> str:
    """Without its marks, which are numbered only at the end."""
    return re.sub(r" \[\d+\]", "", text.strip().splitlines()[0])


async def streamed(assistant: Any, question: Question) -> tuple[str, Answer]:
    async with aclosing(assistant.stream(question)) as events:
        seen = [event async for event in events]
    return "".join(event.text for event in seen if isinstance(event, Delta)), seen[-1]


@pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])
@pytest.mark.parametrize("fault", ["breaks off", "runs out of time"])
async def test_what_was_written_stays_and_the_offline_answer_stands_below_it(
    small: SmallPlatform, scripted_llm: ScriptedLlm, course: str, fault: str
) -> None:
    """In the pieces as in the stored text; `degraded` says that the answer is incomplete, and why."""
    slow = scripted_llm.events(scripted_llm.chunk(HALF[course]), then_hang=True)
    scripted_llm.play(scripted_llm.cut_after([HALF[course]]) if fault == "breaks off" else slow)
    model = small.model(scripted_llm.base_url, timeout_s=1.0)
    shown, answer = await streamed(small.assistant(model), ask(course))
    offline = await small.assistant().answer(ask(course))
    break_mark = phrases.broken_off(Language(course[-2:]))
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
    (turn,) = small.sessions.turns(answer.course_id, answer.session_id)
    assert turn.answer == answer


async def test_a_claim_without_support_is_marked_in_what_was_written_too(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    false = "Knuth published that algorithm in Stanford during winter."
    scripted_llm.play(scripted_llm.cut_after([f"{false} And th"]))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask("stacks-en"))
    assert answer.text.startswith(f"{false} {phrases.unsupported(Language.EN)}")


@pytest.mark.parametrize("opened", ["```python\nstack = [", "Look:\n\n~~~\npush ", "As $$\nx = "])
async def test_a_block_that_was_left_open_does_not_swallow_what_stands_below(
    small: SmallPlatform, scripted_llm: ScriptedLlm, opened: str
) -> None:
    scripted_llm.play(scripted_llm.cut_after([f"{opened}\n"]))
    shown, answer = await streamed(small.assistant(small.model(scripted_llm.base_url)), ask("stacks-en"))
    fence = "$$" if "$$" in opened else "~~~" if "~~~" in opened else "```"
    mark = phrases.broken_off(Language.EN)
    for text in (shown, answer.text):
        above = text.partition(mark)[0]
        assert mark in text
        assert above.count(fence) == 2
        assert above.rstrip().endswith(fence)


async def test_nothing_is_said_of_a_model_that_failed_before_its_first_word(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    scripted_llm.play(scripted_llm.status(500))
    shown, answer = await streamed(small.assistant(small.model(scripted_llm.base_url)), ask("stacks-en"))
    offline = await small.assistant().answer(ask("stacks-en"))
    assert (answer.text, shown.strip() != "") == (offline.text, True)
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model"


async def test_where_sentences_may_be_removed_each_is_shown_when_it_was_checked(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """One without support is never seen, and half of one that broke off neither."""
    loose = "Knuth published that algorithm in Stanford during winter."
    said = f"Editors keep the last command on the top of the stack. {loose} It is"
    scripted_llm.play(scripted_llm.cut_after([said]))
    assistant = small.assistant(small.model(scripted_llm.base_url), unsupported=Unsupported.REMOVE)
    shown, answer = await streamed(assistant, ask("stacks-en"))
    break_mark = phrases.broken_off(Language.EN)
    for text in (shown, answer.text):
        above = text.partition(break_mark)[0]
        assert above.strip() == "Editors keep the last command on the top of the stack. [1]"


async def test_small_talk_that_breaks_off_goes_on_below_a_mark(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    scripted_llm.play(scripted_llm.cut_after(["Hello, how are "]))
    shown, answer = await streamed(
        small.assistant(small.model(scripted_llm.base_url)), ask("stacks-en", "hello")
    )
    assert answer.text.startswith("Hello, how are")
    assert shown.replace(" \n", "\n") == answer.text.replace(" \n", "\n")
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model_incomplete"


async def test_an_answer_cut_at_its_length_is_incomplete_but_no_outage(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    scripted_llm.play(scripted_llm.ok("A stack keeps [1] the last", finish="length"))
    answer = await small.assistant(small.model(scripted_llm.base_url)).answer(ask("stacks-en"))
    assert answer.text.startswith("A stack keeps")
    assert answer.degraded is not None
    assert answer.degraded.stage == "language_model_incomplete"


async def test_instructions_that_a_model_repeats_are_taken_back_and_not_glued_to(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """The stored answer holds nothing of it; in the stream a rule stands before the answer of the course."""

    async def echo(call: Any) -> None:
        await scripted_llm.ok("Sure. " + call.request.body["messages"][0]["content"])(call)

    scripted_llm.play(echo)
    shown, answer = await streamed(small.assistant(small.model(scripted_llm.base_url)), ask("stacks-en"))
    offline = await small.assistant().answer(ask("stacks-en"))
    assert answer.text == offline.text
    assert shown.startswith("Sure. ")
    assert f"\n\n---\n\n{first_line(offline.text)}" in shown
