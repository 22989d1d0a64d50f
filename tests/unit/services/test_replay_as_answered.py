"""The replay takes a question as the assistant does: for small talk, as coming closest, or as answered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from talk import Talk

from services.faq.replay import NO_CHANGE, Questioner, ReplayedAnswer
from vta.types.answers import Answer, Route
from vta.types.courses import Thresholds


def replayed(talk: Talk, answer: Answer, *, can_reason: bool = False, **thresholds: float) -> ReplayedAnswer:
    reader = talk.assistant(thresholds=Thresholds(**thresholds)).understanding
    platform: Any = SimpleNamespace(reader=reader, model=object() if can_reason else None)
    course, knowledge = talk.small.courses.course(answer.course_id), talk.small.knowledge.current()
    questioner = Questioner(platform, course, knowledge)
    return questioner.replay(talk.turns(answer)[-1], NO_CHANGE).now


@pytest.mark.parametrize(
    ("least", "can_reason", "near"), [(0.7, False, True), (0.01, False, False), (0.7, True, False)]
)
async def test_what_falls_short_comes_closest_unless_a_model_explains(
    talk: Talk, least: float, can_reason: bool, near: bool
) -> None:
    """Without a model just as the assistant then answers; a model's explanation has no such opening."""
    answer = await talk.ask("Why push onto a stack?", thresholds=Thresholds(relevance=least))
    outcome = replayed(talk, answer, can_reason=can_reason, relevance=least)
    assert (outcome.route, outcome.near) == (Route.CHAIN_OF_TEACH, near)
    if not can_reason:
        assert ("This may help" in answer.text) == near


async def test_what_sounds_like_small_talk_after_a_question_is_replayed_as_it_was_taken(talk: Talk) -> None:
    """What is surely small talk goes on with no subject."""
    _, answer = await talk.say("What is a stack?", "thank you, that was it")
    assert answer.intent.chit_chat > Thresholds().alpha
    assert answer.route is replayed(talk, answer).route is Route.CHIT_CHAT


async def test_a_question_that_only_sounds_like_a_cry_for_help_is_replayed_as_the_question_it_is(
    talk: Talk,
) -> None:
    answer = await talk.ask("What is a stack? I want it all to end")
    assert answer.route is replayed(talk, answer).route is Route.CHAIN_OF_TEACH


@pytest.mark.parametrize("text", ["I want to die", "this course makes me sad", "What is a stcak?"])
async def test_a_cry_a_feeling_and_a_slip_are_replayed_as_they_were_taken(talk: Talk, text: str) -> None:
    answer = await talk.ask(text)
    assert replayed(talk, answer).route is answer.route
