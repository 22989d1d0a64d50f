"""Sessions of questions that are only tried out."""

from __future__ import annotations

from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock
from vta.types import Answer, CourseId, Question, SessionId, Turn


class UnkeptSessions:
    """`vta.ports.SessionStore` that forgets: each question is the first of a session that is not stored."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def turns(
        self,
        course_id: CourseId,
        session_id: SessionId,
        *,
        last: int | None = None,
        learner_id: str | None = None,
    ) -> tuple[Turn, ...]:
        raise NotFound(Fault("session.unknown", session=session_id, course=course_id))

    def record(self, question: Question, answer: Answer, *, flagged: bool = False) -> Turn:
        return Turn(
            id=answer.turn_id,
            session_id=answer.session_id,
            course_id=answer.course_id,
            number=1,
            question=question.text,
            answer=answer,
            created_at=self._clock.now(),
            flagged=flagged,
        )
