"""Questions that students handed to a real TA, and their contexts, in the relational store."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from statistics import median

from sqlalchemy import Connection, and_, func, insert, update

from services.dialogue.rows import fact_columns, require_turn, select_turns, to_turn
from services.questions.notices import note_question
from services.questions.rows import in_state, is_settled, select_waiting, to_waiting
from services.store import tables
from services.store.rows import from_row
from services.store.transactions import ClockedStore, reading, written
from vta.faq import standalone_of
from vta.types.answers import Turn
from vta.types.courses import CourseId, TurnId
from vta.types.inbox import QuestionContext, QuestionState, WaitingQuestion
from vta.types.questions import Position

EARLIER = 4
"""Turns before the question that are shown with it."""
USUAL_OVER, USUAL_FROM, USUAL_AMONG = timedelta(days=30), 5, 1000
"""Answers of this time say how long one usually waits; the fewest that do, and the most looked at."""


class SqlAskedQuestions(ClockedStore):
    """The questions of all courses for a real TA."""

    @written
    def ask_ta(
        self, connection: Connection, course_id: CourseId, turn_id: TurnId, *, email: str | None = None
    ) -> WaitingQuestion:
        """Queue the turn's question for a real TA, in the student's words; again gives the same entry.

        The answer goes to `email` too, the last one given. `NotFound` for a turn of another course.
        """
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
        elif email is not None and row.email != email:
            mine = update(tables.waiting_questions).filter_by(id=row.id)
            connection.execute(mine.values(email=email))
        return to_waiting(row)

    def all_questions(
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

    def usual_wait(self, course_id: CourseId) -> timedelta | None:
        """The median time to an answer over the last `USUAL_OVER`; None of fewer than `USUAL_FROM`."""
        table = tables.waiting_questions.c
        lately = table.resolved_at >= self._clock.now() - USUAL_OVER
        query = select_waiting(course_id).where(in_state(QuestionState.ANSWERED), lately).order_by(None)
        times = query.with_only_columns(table.created_at, table.resolved_at).limit(USUAL_AMONG)
        waits = [
            row.resolved_at - row.created_at for row in self._rows(times.order_by(table.resolved_at.desc()))
        ]
        return median(waits) if len(waits) >= USUAL_FROM else None

    def settled_questions(
        self, course_id: CourseId, state: str | None, *, offset: int = 0, limit: int | None = None
    ) -> tuple[WaitingQuestion, ...]:
        """Settled questions in a state, or (None) all, the last settled first."""
        table = tables.waiting_questions
        newest = (func.coalesce(table.c.resolved_at, table.c.created_at).desc(), table.c.id.desc())
        settled = is_settled() if state is None else in_state(state)
        query = select_waiting(course_id).where(settled).order_by(None).order_by(*newest)
        return tuple(map(to_waiting, self._rows(query.offset(offset).limit(limit))))

    def contexts(self, course_id: CourseId, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, QuestionContext]:
        """The context of each of these turns: the turns before, the place, and the assistant's answer."""
        turns, facts, asked = tables.turns, tables.turn_facts, tables.turns.alias("asked")
        here = tables.sessions.c.course_id == course_id
        own = (
            select_turns()
            .add_columns(*fact_columns(Position))
            .outerjoin(facts, facts.c.turn_id == turns.c.id)
            .where(turns.c.id.in_(turn_ids), here)
        )
        just_before = and_(
            asked.c.session_id == turns.c.session_id,
            turns.c.number.between(asked.c.number - EARLIER, asked.c.number - 1),
        )
        earlier = (
            select_turns()
            .add_columns(asked.c.id.label("asked_id"))
            .join(asked, just_before)
            .where(asked.c.id.in_(turn_ids), here)
            .order_by(turns.c.number)
        )
        before = defaultdict[str, list[Turn]](list)
        with reading(self._engine) as connection:
            for row in connection.execute(earlier):
                before[row.asked_id].append(to_turn(row))
            return {
                TurnId(row.id): QuestionContext(
                    turn=to_turn(row),
                    position=from_row(Position, row),
                    before=tuple(before[row.id]),
                )
                for row in connection.execute(own)
            }
