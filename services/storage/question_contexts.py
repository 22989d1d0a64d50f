"""How questions for the TA came up, from the turns of their sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from sqlalchemy import Engine, and_

from services.storage import tables
from services.storage.rows import from_row
from services.storage.session_rows import select_turns, to_turn
from services.storage.transactions import reading
from vta.types import CourseId, Position, QuestionContext, Turn, TurnId

EARLIER = 4
"""Turns before the question that are shown with it."""


class SqlQuestionContexts:
    """Reads what a TA has to know of a question: the turns before it, its place, and what was answered."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def contexts(self, course_id: CourseId, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, QuestionContext]:
        """How those of these turns came up that the course has."""
        turns, facts, asked = tables.turns, tables.turn_facts, tables.turns.alias("asked")
        here = tables.sessions.c.course_id == course_id
        own = (
            select_turns()
            .add_columns(facts.c.unit, facts.c.video, facts.c.second, facts.c.page, facts.c.heading)
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
