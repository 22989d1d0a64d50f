"""The replay takes a question as the assistant does: for small talk, as coming closest, or as answered."""

from __future__ import annotations

import pytest
from talk import Talk

from services.faq.replay import NO_CHANGE, Questioner, ReplayedAnswer
from vta.types.answers import Answer, Route
from vta.types.courses import Thresholds


def replayed(talk: Talk, answer: Answer, *, can_reason: bool = False, **thresholds: float) -> ReplayedAnswer:
    questioner = Questioner(
        course=talk.small.courses.course(answer.course_id),
        knowledge=talk.small.knowledge.current(),
        thresholds=Thresholds(**thresholds),
        can_reason=can_reason,
    )
    return questioner.replay(talk.turns(answer)[-1], NO_CHANGE).now


@pytest.mark.parametrize(
    ("least", "can_reason", "near"), [(1.0, False, True), (0.01, False, False), (1.0, True, False)]
)
async def test_what_falls_short_comes_closest_unless_a_model_explains(
    talk: Talk, least: float, can_reason: bool, near: bool
) -> None:
    """Without a model just as the assistant then answers; a model's explanation has no such opening."""
    answer = await talk.ask("What does push do?", thresholds=Thresholds(relevance=least))
    outcome = replayed(talk, answer, can_reason=can_reason, relevance=least)
    assert (outcome.route, outcome.near) == (Route.CHAIN_OF_TEACH, near)
    if not can_reason:
        assert ("This may help" in answer.text) == near


async def test_what_sounds_like_small_talk_after_a_question_is_replayed_as_it_was_taken(talk: Talk) -> None:
    """What is surely small talk goes on with no subject."""
    _, answer = await talk.say("What is a stack?", "thank you, that was it")
    assert answer.intent.chit_chat > Thresholds().alpha
    assert answer.route is replayed(talk, answer).route is Route.CHIT_CHAT
