"""The replay takes for small talk what the assistant does, no more and no less."""

from __future__ import annotations

from small_platform import SmallPlatform

from services.use_cases.replay import Change, Questioner
from vta.types import CourseId, Question, Route, Thresholds


async def test_a_follow_up_that_sounds_like_small_talk_is_replayed_as_the_question_it_is(
    small: SmallPlatform,
) -> None:
    """It was answered from the course, since it asks on about it."""
    assistant = small.assistant()
    course = CourseId("stacks-en")
    first = await assistant.answer(Question(course_id=course, text="What is a stack?"))
    follow_up = Question(
        course_id=course, text="thank you, and why does it need a top?", session_id=first.session_id
    )
    answer = await assistant.answer(follow_up)
    turn = small.sessions.turns(course, first.session_id)[-1]
    assert answer.intent.chit_chat > Thresholds().alpha
    assert answer.route is not Route.CHIT_CHAT
    questioner = Questioner(
        course=small.courses.course(course),
        knowledge=small.knowledge.current(),
        thresholds=Thresholds(),
        can_reason=False,
    )
    assert questioner.replay(turn, Change(gone=(), new=())).now.route is answer.route
