"""Questions that students handed to a real TA, in the relational store."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from sqlalchemy import Connection, func, insert

from services.dialogue.rows import require_turn, select_turns, to_turn
from services.questions.notices import note_question
from services.questions.rows import in_state, is_settled, select_waiting, to_waiting
from services.store import tables
from services.store.transactions import ClockedStore, write
from vta.faq import standalone_of
from vta.types.courses import CourseId, TurnId
from vta.types.inbox import QuestionState, WaitingQuestion


class SqlAskedQuestions(ClockedStore):
    """The questions of all courses for a real TA."""

    def ask_ta(self, course_id: CourseId, turn_id: TurnId, *, email: str | None = None) -> WaitingQuestion:
        """Queue the turn's question for a real TA, in the student's words; again gives the same entry.

        The answer goes to `email` too, if given. `NotFound` for a turn of another course.
        """

        def action(connection: Connection) -> WaitingQuestion:
            require_turn(connection, course_id, turn_id)
            query = select_waiting(course_id).where(tables.turns.c.id == turn_id)
            row = connection.execute(query).one_or_none()
            if row is None:
                turn = to_turn(connection.execute(select_turns().where(tables.turns.c.id == turn_id)).one())
                now = self._clock.now()
                entry = {
                    "id": uuid.uuid4().hex,
                    "turn_id": turn_id,
                    "state": "waiting",
                    "created_at": now,
                    "standalone_question": standalone_of(turn),
                    "email": email,
                }
                connection.execute(insert(tables.waiting_questions).values(entry))
                note_question(connection, course_id, str(entry["id"]), now=now)
                row = connection.execute(query).one()
            return to_waiting(row)

        return write(self._engine, action)

    def waiting_questions(
        self, course_id: CourseId, state: QuestionState | None = None
    ) -> tuple[WaitingQuestion, ...]:
        """The course's questions for the TA in one state, or in all, oldest first."""
        query = select_waiting(course_id)
        if state is not None:
            query = query.where(tables.waiting_questions.c.state == state)
        return tuple(to_waiting(row) for row in self._rows(query))

    def questions_of(self, course_id: CourseId, question_ids: Iterable[str]) -> tuple[WaitingQuestion, ...]:
        """The questions of these ids that the course has, oldest first."""
        query = select_waiting(course_id).where(tables.waiting_questions.c.id.in_(set(question_ids)))
        return tuple(map(to_waiting, self._rows(query)))

    def count_waiting(self, course_id: CourseId, state: str) -> int:
        """The number of questions in a state, or asked back; see `in_state`."""
        found = select_waiting(course_id).where(in_state(state))
        query = found.order_by(None).with_only_columns(func.count())
        return int(self._scalar(query))

    def settled_questions(
        self, course_id: CourseId, state: str | None, *, offset: int = 0, limit: int | None = None
    ) -> tuple[WaitingQuestion, ...]:
        """Settled questions in a state, or (None) all, the last settled first."""
        table = tables.waiting_questions
        newest = (func.coalesce(table.c.resolved_at, table.c.created_at).desc(), table.c.id.desc())
        settled = is_settled() if state is None else in_state(state)
        query = select_waiting(course_id).where(settled).order_by(None).order_by(*newest)
        return tuple(map(to_waiting, self._rows(query.offset(offset).limit(limit))))
