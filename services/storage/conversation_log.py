"""One conversation as instructors read it: its turns, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, Row, select

from services.storage import tables
from services.storage.rows import from_row
from services.storage.session_rows import require_turn, select_turns, to_turn
from services.storage.transactions import reading
from vta.types import CourseId, Feedback, Position, QuestionState, Route, Turn, TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedTurn:
    """A turn with its place in the course, its thumb, and the question for the TA that it became, if any.

    `route` says how it counts as answered.
    """

    turn: Turn
    route: Route
    position: Position
    thumb: Feedback | None
    question_id: str | None
    question_state: QuestionState | None
    faq_id: str | None


class SqlConversationLog:
    """Reads conversations by one of their turns: the id of a session would let its bearer go on with it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def conversation(self, course_id: CourseId, turn_id: TurnId) -> tuple[LoggedTurn, ...]:
        """The turns of the conversation that a turn belongs to, in order; `NotFound` as in `require_turn`."""
        facts, thumbs, waiting = tables.turn_facts, tables.feedback, tables.waiting_questions
        session = select(tables.turns.c.session_id).where(tables.turns.c.id == turn_id).scalar_subquery()
        query = (
            select_turns()
            .add_columns(
                *(
                    facts.c.route.label("counted"),
                    facts.c.unit,
                    facts.c.video,
                    facts.c.second,
                    facts.c.page,
                    facts.c.heading,
                ),
                *(thumbs.c.rating, thumbs.c.reason, thumbs.c.comment),
                *(waiting.c.id.label("question_id"), waiting.c.state, waiting.c.faq_id),
            )
            .join(facts, facts.c.turn_id == tables.turns.c.id)
            .outerjoin(thumbs, thumbs.c.turn_id == tables.turns.c.id)
            .outerjoin(waiting, waiting.c.turn_id == tables.turns.c.id)
            .where(tables.turns.c.session_id == session)
            .order_by(tables.turns.c.number)
        )
        with reading(self._engine) as connection:
            require_turn(connection, course_id, turn_id)
            return tuple(_logged(row) for row in connection.execute(query))


def _logged(row: Row[Any]) -> LoggedTurn:
    thumb = Feedback(turn_id=TurnId(row.id), rating=row.rating, reason=row.reason, comment=row.comment)
    return LoggedTurn(
        turn=to_turn(row),
        route=Route(row.counted),
        position=from_row(Position, row),
        thumb=thumb if row.rating else None,
        question_id=row.question_id,
        question_state=QuestionState(row.state) if row.state else None,
        faq_id=row.faq_id,
    )
