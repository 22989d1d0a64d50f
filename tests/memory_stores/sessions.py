"""Sessions and turns in memory."""

from __future__ import annotations

from memory_stores.catalogue import Memory, MemorySession
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import standalone_of
from vta.faults import Fault
from vta.ports import Clock
from vta.types import (
    Answer,
    CourseId,
    Feedback,
    Question,
    QuestionState,
    SessionId,
    Turn,
    TurnId,
    WaitingQuestion,
)


class MemorySessions:
    """The port `SessionStore`, with the same further methods as the relational store."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock

    def turns(
        self,
        course_id: CourseId,
        session_id: SessionId,
        *,
        last: int | None = None,
        learner_id: str | None = None,
    ) -> tuple[Turn, ...]:
        with self._memory.lock:
            session = self._session(course_id, session_id)
            if None not in (session.learner_id, learner_id) and session.learner_id != learner_id:
                raise NotFound(_no_session(course_id, session_id))
            return tuple(session.turns if last is None else session.turns[-last:])

    def record(self, question: Question, answer: Answer, *, flagged: bool = False) -> Turn:
        if question.course_id != answer.course_id or question.session_id not in (None, answer.session_id):
            raise InvalidInput(Fault("session.mixed"))
        with self._memory.lock:
            self._memory.require_course(question.course_id)
            session = self._entered(question, answer.session_id)
            stored = self._find_turn(answer.turn_id)
            if stored is not None and (stored.question, stored.answer) != (question.text, answer):
                raise Conflict(Fault("session.recorded", turn=answer.turn_id))
            if session.learner_id is None:
                session.learner_id = question.learner_id
            self._memory.sessions[answer.session_id] = session
            if stored is None:
                stored = Turn(
                    id=answer.turn_id,
                    session_id=answer.session_id,
                    course_id=answer.course_id,
                    number=len(session.turns) + 1,
                    question=question.text,
                    answer=answer,
                    created_at=self._clock.now(),
                    flagged=flagged,
                )
                session.turns.append(stored)
            return stored

    def delete(self, course_id: CourseId, session_id: SessionId) -> None:
        with self._memory.lock:
            self._session(course_id, session_id)
            del self._memory.sessions[session_id]

    def feedback(self, course_id: CourseId, feedback: Feedback) -> None:
        if feedback.rating not in ("up", "down"):
            raise InvalidInput(Fault("session.rating", rating=feedback.rating), field="rating")
        with self._memory.lock:
            turn = self._turn(course_id, feedback.turn_id)
            self._memory.sessions[turn.session_id].feedback[turn.id] = feedback

    def ask_ta(self, course_id: CourseId, turn_id: TurnId) -> WaitingQuestion:
        with self._memory.lock:
            turn = self._turn(course_id, turn_id)
            entry = WaitingQuestion(
                id=f"ta-{turn_id}",
                course_id=course_id,
                turn_id=turn_id,
                question=turn.question,
                state=QuestionState.WAITING,
                created_at=self._clock.now(),
                standalone_question=standalone_of(turn),
            )
            return self._memory.sessions[turn.session_id].waiting.setdefault(turn_id, entry)

    def waiting_questions(self, course_id: CourseId, state: str | None = None) -> tuple[WaitingQuestion, ...]:
        """The course's questions for the TA in one state, or in all, oldest first."""
        if state not in (None, *QuestionState):
            fault = Fault("waiting_question.state", state=str(state), states=", ".join(QuestionState))
            raise InvalidInput(fault, field="state")
        with self._memory.lock:
            asked = [entry for kept in self._of_course(course_id) for entry in kept.waiting.values()]
        chosen = (entry for entry in asked if state in (None, entry.state))
        return tuple(sorted(chosen, key=lambda entry: (entry.created_at, entry.id)))

    def feedback_given(self, course_id: CourseId) -> tuple[Feedback, ...]:
        """The thumbs that count in a course, by turn id."""
        with self._memory.lock:
            given = [thumbs for kept in self._of_course(course_id) for thumbs in kept.feedback.values()]
        return tuple(sorted(given, key=lambda thumbs: thumbs.turn_id))

    def erase_learner(self, course_id: CourseId, learner_id: str) -> int:
        """Remove a learner's sessions in a course with all they hold; returns how many there were."""
        with self._memory.lock:
            erased = [
                id
                for id, kept in self._memory.sessions.items()
                if (kept.course_id, kept.learner_id) == (course_id, learner_id)
            ]
            for id in erased:
                del self._memory.sessions[id]
        return len(erased)

    def _of_course(self, course_id: CourseId) -> list[MemorySession]:
        return [kept for kept in self._memory.sessions.values() if kept.course_id == course_id]

    def _session(self, course_id: CourseId, session_id: SessionId) -> MemorySession:
        kept = self._memory.sessions.get(session_id)
        if kept is None or kept.course_id != course_id:
            raise NotFound(_no_session(course_id, session_id))
        return kept

    def _entered(self, question: Question, session_id: SessionId) -> MemorySession:
        if session_id not in self._memory.sessions:
            return MemorySession(question.course_id, question.learner_id)
        session = self._session(question.course_id, session_id)
        if (
            None not in (session.learner_id, question.learner_id)
            and session.learner_id != question.learner_id
        ):
            raise NotFound(_no_session(question.course_id, session_id))
        return session

    def _find_turn(self, turn_id: TurnId) -> Turn | None:
        turns = (turn for kept in self._memory.sessions.values() for turn in kept.turns)
        return next((turn for turn in turns if turn.id == turn_id), None)

    def _turn(self, course_id: CourseId, turn_id: TurnId) -> Turn:
        turn = self._find_turn(turn_id)
        if turn is None or turn.course_id != course_id:
            raise NotFound(Fault("session.no_turn", turn=turn_id, course=course_id))
        return turn


def _no_session(course_id: CourseId, session_id: SessionId) -> Fault:
    return Fault("session.unknown", session=session_id, course=course_id)
