"""A language model is asked about unclear verdicts of the guard alone, and its failure changes nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from scripted_llm import ScriptedLlm
from small_platform import SmallPlatform

import vta.dialogue.second_opinion
from vta.types import Answer, CourseId, Question, Suspicion

WHY = Question(course_id=CourseId("stacks-en"), text="Why does a stack have a top?")
WHY_ZH = Question(course_id=CourseId("stacks-zh"), text="为什么栈有栈顶？")
HARMLESS = Suspicion(malicious=0.2, flag=False, kind=None, unclear=True)
FLAGGED = Suspicion(malicious=0.3, flag=True, kind="prompt_leak", unclear=True)


@dataclass(frozen=True)
class Verdict:
    """A guard that always says the same."""

    suspicion: Suspicion

    def inspect(self, text: str) -> Suspicion:
        return self.suspicion


def stages(answer: Answer) -> dict[str, str]:
    return {step.stage: step.decision for step in answer.trace}


@pytest.mark.parametrize("question", [WHY, WHY_ZH], ids=["en", "zh"])
async def test_an_unclear_flag_is_lifted_where_the_model_sees_a_question(
    small: SmallPlatform, scripted_llm: ScriptedLlm, question: Question
) -> None:
    word = "question" if question is WHY else "提问。"
    scripted_llm.play(scripted_llm.ok(word), scripted_llm.ok("Because items are added there [1]."))
    assistant = small.assistant(small.model(scripted_llm.base_url), guard=Verdict(FLAGGED))
    answer = await assistant.answer(question)
    assert stages(answer)["second_opinion"] == "question"
    assert answer.degraded is None or answer.degraded.stage != "guard"
    assert len(scripted_llm.requests) == 2


async def test_an_unclear_question_is_flagged_where_the_model_sees_an_attack(
    small: SmallPlatform, scripted_llm: ScriptedLlm
) -> None:
    """The course still answers, and no model sees the question again."""
    scripted_llm.play(scripted_llm.ok("Attack"))
    assistant = small.assistant(small.model(scripted_llm.base_url), guard=Verdict(HARMLESS))
    answer = await assistant.answer(WHY)
    assert stages(answer)["second_opinion"] == "attack"
    assert answer.degraded is not None
    assert answer.degraded.stage == "guard"
    assert answer.text
    assert len(scripted_llm.requests) == 1


@pytest.mark.parametrize("flag", [True, False])
async def test_a_clear_verdict_costs_no_call(
    small: SmallPlatform, scripted_llm: ScriptedLlm, flag: bool
) -> None:
    scripted_llm.play(scripted_llm.ok("On top [1]."))
    clear = Suspicion(malicious=float(flag), flag=flag, kind="prompt_leak" if flag else None)
    answer = await small.assistant(small.model(scripted_llm.base_url), guard=Verdict(clear)).answer(WHY)
    assert "second_opinion" not in stages(answer)


@pytest.mark.parametrize("reply", ["", "I think that it is an attack", "yes"])
async def test_any_other_word_leaves_the_guards_verdict(
    small: SmallPlatform, scripted_llm: ScriptedLlm, reply: str
) -> None:
    scripted_llm.play(scripted_llm.ok(reply), scripted_llm.ok("On top [1]."))
    answer = await small.assistant(small.model(scripted_llm.base_url), guard=Verdict(FLAGGED)).answer(WHY)
    assert stages(answer)["second_opinion"].startswith("none")
    assert answer.degraded is not None
    assert answer.degraded.stage == "guard"


async def test_a_failing_or_slow_model_leaves_the_guards_verdict(
    small: SmallPlatform, scripted_llm: ScriptedLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_llm.play(scripted_llm.status(500))
    assistant = small.assistant(small.model(scripted_llm.base_url), guard=Verdict(FLAGGED))
    failed = await assistant.answer(WHY)
    assert stages(failed)["second_opinion"].startswith("none")
    monkeypatch.setattr(vta.dialogue.second_opinion, "LONGEST_WAIT_S", 0.0)
    late = await asyncio.wait_for(assistant.answer(WHY), 30)
    assert stages(late)["second_opinion"] == "none: TimeoutError"
    assert late.degraded is not None
    assert late.degraded.stage == "guard"
