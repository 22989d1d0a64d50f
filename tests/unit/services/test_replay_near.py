"""The replay tells what is offered as coming closest where a student reads that."""

from __future__ import annotations

import pytest
from small_platform import SmallPlatform

from services.use_cases.replay import NO_CHANGE, Questioner
from vta.types import CourseId, Question, Route, Thresholds

COURSE = CourseId("stacks-en")


@pytest.mark.parametrize(
    ("least", "can_reason", "near"), [(1.0, False, True), (0.01, False, False), (1.0, True, False)]
)
async def test_what_falls_short_comes_closest_unless_a_model_explains(
    small: SmallPlatform, least: float, can_reason: bool, near: bool
) -> None:
    """Without a model just as the assistant then answers; a model's explanation has no such opening."""
    thresholds = Thresholds(relevance=least)
    question = Question(course_id=COURSE, text="What does push do?")
    answer = await small.assistant(thresholds=thresholds).answer(question)
    (turn,) = small.sessions.turns(COURSE, answer.session_id)
    questioner = Questioner(
        course=small.courses.course(COURSE),
        knowledge=small.knowledge.current(),
        thresholds=thresholds,
        can_reason=can_reason,
    )
    outcome = questioner.replay(turn, NO_CHANGE).now
    assert (outcome.route, outcome.near) == (Route.CHAIN_OF_TEACH, near)
    if not can_reason:
        assert ("did not find exactly this" in answer.text) == near
