"""A later question is put into better words by a language model, else searched with its subject before it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

from vta.dialogue.standing_alone import LONGEST_STANDALONE, find_fault
from vta.text import Analyser
from vta.types import Answer, ConceptId, CourseId, Question

FIRST = {"stacks-en": "What is a stack?", "stacks-zh": "什么是栈？"}
NEXT = {"stacks-en": "why does it need a top?", "stacks-zh": "它为什么只动一端？"}
AS_IT_IS = {course: f"{FIRST[course]} {NEXT[course]}" for course in FIRST}
BY_MODEL = {"stacks-en": "Why does a stack need a top?", "stacks-zh": "栈为什么只动一端？"}


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
    assert decisions(answer)["follow_up"].startswith("goes on with p = ")
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
async def test_a_reply_that_fails_the_check_leaves_the_question_with_its_subject(
    small: SmallPlatform, scripted_llm: ScriptedLlm, reply: str
) -> None:
    """The trace says why, the answer is not degraded by it."""
    scripted_llm.play(scripted_llm.ok(reply), scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"].startswith(f"as it is: {REPLIES[reply]}")
    assert answer.degraded is None


def test_a_reply_without_a_concept_of_the_question_is_left_out() -> None:
    """What the student named must be looked up."""
    question = "How does it differ from a queue?"

    def link(text: str) -> frozenset[ConceptId]:
        return frozenset(ConceptId(name) for name in ("stack", "queue") if name in text)

    fault = partial(
        find_fault,
        question=question,
        carried=f"What is a stack? {question}",
        said=(),
        link=link,
        analyser=Analyser(),
    )
    assert fault("What is a stack?") == "the reply leaves out a concept of the question"
    assert fault("How does a stack differ from a queue?") is None


@pytest.mark.parametrize("scene", ["status", "garbage", "cut"])
async def test_a_failing_model_leaves_the_question_with_its_subject_and_is_no_error(
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
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"].startswith("as it is: the language model")
    assert answer.degraded is None


async def test_a_model_that_hangs_is_not_waited_for(small: SmallPlatform, scripted_llm: ScriptedLlm) -> None:
    """The wait of the client's own deadline ends the rewriting too."""
    scripted_llm.play(scripted_llm.hang(), scripted_llm.ok("Because [1]."))
    model = small.model(scripted_llm.base_url, timeout_s=0.3)
    answer = await ask_twice(small, model, "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"] == "as it is: the language model did not answer in time"


@pytest.mark.parametrize("question", ["Why do printers serve their jobs from a queue?", "What is a queue?"])
async def test_a_question_that_stands_alone_costs_no_call(
    small: SmallPlatform, scripted_llm: ScriptedLlm, question: str
) -> None:
    """Only a question that goes on with the subject is rephrased."""
    scripted_llm.play(scripted_llm.ok("Because [1]."))
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", question)
    assert answer.standalone_question == question
    assert "follow_up_model" not in decisions(answer)
    assert all("stand" not in messages[0]["content"][:200] for messages in scripted_llm.messages)


async def test_a_question_that_names_its_subject_itself_costs_no_call(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """It goes on with the stack, which it names."""
    scripted_llm.play(scripted_llm.ok("Because [1]."))
    question = "Why do editors undo with a stack?"
    answer = await ask_twice(small, small.model(scripted_llm.base_url), "stacks-en", question)
    assert answer.standalone_question == f"{FIRST['stacks-en']} {question}"
    assert "follow_up_model" not in decisions(answer)
    assert len(scripted_llm.messages) == 1


async def test_without_a_history_or_a_model_nothing_is_rephrased(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """No model, no call; no history, nothing to carry over."""
    answer = await ask_twice(small, None, "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert "follow_up_model" not in decisions(answer)
    scripted_llm.play(scripted_llm.ok("Because [1]."))
    alone = await small.assistant(small.model(scripted_llm.base_url)).answer(
        Question(course_id=CourseId("stacks-en"), text=NEXT["stacks-en"])
    )
    assert alone.standalone_question == NEXT["stacks-en"]
    assert "follow_up_model" not in decisions(alone)
