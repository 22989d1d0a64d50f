"""A later question is put into better words by a language model, else searched with its subject before it."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_llm import Scene, ScriptedLlm
from talk import Talk, decisions

from vta.dialogue.query_rewriting import LONGEST_STANDALONE
from vta.types.answers import Answer

FIRST = {"stacks-en": "What is a stack?", "stacks-zh": "什么是栈？"}
NEXT = {"stacks-en": "why does it need a top?", "stacks-zh": "它为什么只动一端？"}
AS_IT_IS = {course: f"{FIRST[course]} {NEXT[course]}" for course in FIRST}
BY_MODEL = {"stacks-en": "Why does a stack need a top?", "stacks-zh": "栈为什么只动一端？"}


async def ask_twice(talk: Talk, course: str, question: str, *says: str | Scene, **more: Any) -> Answer:
    """The answer to this question after a first one; `says` is the script for each."""
    _, answer = await talk.say(FIRST[course], question, course=course, says=says or None, **more)
    return answer


@pytest.mark.parametrize("course", list(FIRST))
async def test_the_models_words_are_what_is_looked_up_and_shown(talk: Talk, course: str) -> None:
    """One call for the question, one for the answer; the trace tells both forms."""
    answer = await ask_twice(talk, course, NEXT[course], BY_MODEL[course], "Because [1].")
    assert answer.standalone_question == BY_MODEL[course]
    assert decisions(answer)["follow_up"] == "goes on"
    assert decisions(answer)["follow_up_model"] == BY_MODEL[course]
    _, asked, taught = talk.llm.messages
    assert FIRST[course] in asked[0]["content"]
    assert NEXT[course] in asked[0]["content"]
    assert taught[-1]["content"].count(NEXT[course]) == 1
    assert BY_MODEL[course] not in taught[-1]["content"]


@pytest.mark.parametrize(
    "reply",
    ["Why does a stack need a top?\nBecause.", "Why does a stack " + "really " * LONGEST_STANDALONE],
)
async def test_a_reply_that_is_no_line_leaves_the_question_with_its_subject(talk: Talk, reply: str) -> None:
    """The trace says why, the answer is not degraded by it."""
    answer = await ask_twice(talk, "stacks-en", NEXT["stacks-en"], reply, "Because [1].")
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"] == "not reworded: the reply is not one line"
    assert answer.degraded is None


@pytest.mark.parametrize("scene", [ScriptedLlm.status(500), ScriptedLlm.html(), ScriptedLlm.drop()])
async def test_a_failing_model_leaves_the_question_with_its_subject_and_is_no_error(
    talk: Talk, scene: Scene
) -> None:
    """The trace declares the failure; the answer itself is as good as the model that is asked next."""
    answer = await ask_twice(talk, "stacks-en", NEXT["stacks-en"], scene, "Because [1].")
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"].startswith("not reworded: the language model")
    assert answer.degraded is None


async def test_a_model_that_hangs_is_not_waited_for(talk: Talk) -> None:
    """The wait of the client's own deadline ends the rewriting too."""
    scenes = ScriptedLlm.hang(), "Because [1]."
    answer = await ask_twice(talk, "stacks-en", NEXT["stacks-en"], *scenes, timeout_s=0.3)
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert decisions(answer)["follow_up_model"] == "not reworded: the language model did not answer in time"


@pytest.mark.parametrize("question", ["Why do printers serve their jobs from a queue?", "What is a queue?"])
async def test_a_question_that_stands_alone_costs_no_call(talk: Talk, question: str) -> None:
    """Only a question that goes on with the subject is rephrased."""
    answer = await ask_twice(talk, "stacks-en", question, "Because [1].")
    assert answer.standalone_question == question
    assert "follow_up_model" not in decisions(answer)
    assert all("stand" not in messages[0]["content"][:200] for messages in talk.llm.messages)


async def test_without_a_history_or_a_model_nothing_is_rephrased(talk: Talk) -> None:
    """No model, no call; no history, nothing to carry over."""
    answer = await ask_twice(talk, "stacks-en", NEXT["stacks-en"])
    assert answer.standalone_question == AS_IT_IS["stacks-en"]
    assert "follow_up_model" not in decisions(answer)
    alone = await talk.ask(NEXT["stacks-en"], says="Because [1].")
    assert alone.standalone_question == NEXT["stacks-en"]
    assert "follow_up_model" not in decisions(alone)
