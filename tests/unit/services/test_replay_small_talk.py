"""The replay takes for small talk what the assistant does, no more and no less."""

from __future__ import annotations

from small_platform import SmallPlatform

from services.use_cases.replay import Change, Questioner
from vta.types import CourseId, Question, Route, Thresholds


async def test_what_sounds_like_small_talk_after_a_question_is_replayed_as_it_was_taken(
    small: SmallPlatform,
) -> None:
    """What is surely small talk goes on with no subject."""
    assistant = small.assistant()
    course = CourseId("stacks-en")
    first = await assistant.answer(Question(course_id=course, text="What is a stack?"))
    follow_up = Question(course_id=course, text="thank you, that was it", session_id=first.session_id)
    answer = await assistant.answer(follow_up)
    turn = small.sessions.turns(course, first.session_id)[-1]
    assert answer.intent.chit_chat > Thresholds().alpha
    assert answer.route is Route.CHIT_CHAT
    questioner = Questioner(
        course=small.courses.course(course),
        knowledge=small.knowledge.current(),
        thresholds=Thresholds(),
        can_reason=False,
    )
    assert questioner.replay(turn, Change(gone=(), new=())).now.route is answer.route
