"""A follow-up is put into better words by a language model, and by the rules wherever that goes wrong."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

from vta.dialogue.standing_alone import LONGEST_STANDALONE
from vta.types import Answer, CourseId, Question

FIRST = {"stacks-en": "What is a stack?", "stacks-zh": "什么是栈？"}
NEXT = {"stacks-en": "why does it need a top?", "stacks-zh": "它为什么需要栈顶？"}
BY_RULES = {"stacks-en": "why does a stack need a top?", "stacks-zh": "栈为什么需要栈顶？"}
BY_MODEL = {"stacks-en": "Why does a stack need a top?", "stacks-zh": "栈这种结构为什么需要栈顶？"}


async def ask_twice(small: SmallPlatform, model: Any, course: str, question: str) -> Answer:
    assistant = small.assistant(model)
    first = await assistant.answer(Question(course_id=CourseId(course), text=FIRST[course]))
    answer: Answer = await assistant.answer(
        Question(course_id=CourseId(course), text=question, session_id=first.session_id)
    )
    return answer


def decisions(answer: Answer) -> dict[str, str]:
    return {step.stage: step.decision for step in answer.trace}


@pytest.mark.parametrize("course", list(FIRST))
async def test_the_models_words_are_what_is_looked_up_and_shown(
    small: SmallPlatform, scripted_llm: ScriptedLlm, course: str
) -> None:
    """One call for the question, one for the answer; the trace tells both forms."""
    scripted_llm.play(scripted_llm.ok(BY_MODEL[course]), scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), course, NEXT[course])
    assert answer.standalone_question == BY_MODEL[course]
    assert decisions(answer)["follow_up"] == BY_RULES[course]
    assert decisions(answer)["follow_up_model"] == BY_MODEL[course]
    asked, taught = scripted_llm.messages
    assert FIRST[course] in asked[0]["content"]
    assert NEXT[course] in asked[0]["content"]
    assert taught[-1]["content"].count(NEXT[course]) == 1
    assert BY_MODEL[course] not in str(taught)


REPLIES = {
    "Why does a stack need a top?\nBecause it is last in, first out.": "the reply is not one line",
    "Why does a stack " + "really " * LONGEST_STANDALONE + "need a top?": "the reply has more than",
    "为什么栈需要栈顶 stack?": "the reply is in another language",
    "Why does it need a top?": "the reply leaves out what the question is about",
    "Why does a stack need a top and a queue none?": "the reply adds a concept",
    "What does a stack do with its top?": "the reply leaves out words of the question: need",
}


@pytest.mark.parametrize("reply", REPLIES)
async def test_a_reply_that_fails_the_check_leaves_the_rules_form(
    small: SmallPlatform, scripted_llm: ScriptedLlm, reply: str
) -> None:
    """The trace says why, the answer is not degraded by it."""
    scripted_llm.play(scripted_llm.ok(reply), scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == BY_RULES["stacks-en"]
    assert decisions(answer)["follow_up_model"].startswith(f"by rules: {REPLIES[reply]}")
    assert answer.degraded is None


async def test_a_reply_without_a_concept_of_the_question_is_left_out(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """What the student named must be looked up."""
    scripted_llm.play(scripted_llm.ok("What is a stack?"), scripted_llm.ok("So [1]."))
    question = "How does it differ from a queue?"
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", question)
    assert answer.standalone_question == "How does a stack differ from a queue?"
    assert decisions(answer)["follow_up_model"] == "by rules: the reply leaves out a concept of the question"


@pytest.mark.parametrize("scene", ["status", "garbage", "cut"])
async def test_a_failing_model_leaves_the_rules_form_and_is_no_error(
    small: SmallPlatform, scripted_llm: ScriptedLlm, scene: str
) -> None:
    """The trace declares the failure; the answer itself is as good as the model that is asked next."""
    scenes = {
        "status": scripted_llm.status(500),
        "garbage": scripted_llm.html(),
        "cut": scripted_llm.drop(),
    }
    scripted_llm.play(scenes[scene], scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == BY_RULES["stacks-en"]
    assert decisions(answer)["follow_up_model"].startswith("by rules: the language model")
    assert answer.degraded is None


async def test_a_model_that_hangs_is_not_waited_for(small: SmallPlatform, scripted_llm: ScriptedLlm) -> None:
    """The wait of the client's own deadline ends the rewriting too."""
    scripted_llm.play(scripted_llm.hang(), scripted_llm.ok("Because [1]."))
    model = small.model(scripted_llm.base_url, timeout_s=0.3)
    answer = await ask_twice(small, model, "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == BY_RULES["stacks-en"]
    assert decisions(answer)["follow_up_model"] == "by rules: the language model did not answer in time"


@pytest.mark.parametrize("question", ["Why do editors undo with a stack?", "What is a queue?"])
async def test_a_question_that_stands_alone_costs_no_call(
    small: SmallPlatform, scripted_llm: ScriptedLlm, question: str
) -> None:
    """The rules decide whether the model is asked."""
    scripted_llm.play(scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", question)
    assert answer.standalone_question == question
    assert "follow_up_model" not in decisions(answer)
    assert all("stand" not in messages[0]["content"][:200] for messages in scripted_llm.messages)


async def test_without_a_history_or_a_model_the_rules_alone_decide(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """No model, no call; no history, nothing to carry over."""
    answer = await ask_twice(small, None, "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == BY_RULES["stacks-en"]
    assert "follow_up_model" not in decisions(answer)
    scripted_llm.play(scripted_llm.ok("Because [1]."))
    alone = await small.assistant(small.model(scripted_llm.base_url)).answer(
        Question(course_id=CourseId("stacks-en"), text=NEXT["stacks-en"])
    )
    assert alone.standalone_question == NEXT["stacks-en"]
    assert "follow_up_model" not in decisions(alone)
