"""The rows of sessions: how they are found, and what they are outside the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, or_, select

from services.rendering.answer_json import answer_from_json
from services.storage import tables
from services.storage.rows import from_row
from vta.errors import InvalidInput, NotFound, UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId, Feedback, QuestionState, SessionId, Turn, TurnId, WaitingQuestion


def unknown_session(course_id: CourseId, session_id: SessionId) -> NotFound:
    """One error for a session that never was and for one that is another's: they cannot be told apart."""
    return NotFound(Fault("session.unknown", session=session_id, course=course_id))


def of_session(course_id: CourseId, session_id: SessionId) -> ColumnElement[bool]:
    """The condition that picks a session of a course."""
    return and_(tables.sessions.c.id == session_id, tables.sessions.c.course_id == course_id)


def select_turns() -> Select[Any]:
    """The columns of `to_turn`."""
    return select(tables.turns, tables.sessions.c.course_id).join_from(tables.turns, tables.sessions)


def select_feedback(course_id: CourseId) -> Select[Any]:
    """The columns of `to_feedback`, for one course, by turn id."""
    table = tables.feedback
    joined = table.join(tables.turns).join(tables.sessions)
    in_course = tables.sessions.c.course_id == course_id
    return select(table).select_from(joined).where(in_course).order_by(table.c.turn_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReaction:
    """What a student did with an answer: the thumb that counts, and the state of the question for the TA."""

    rating: str | None = None
    ta_question: QuestionState | None = None


NO_REACTION = TurnReaction()


def to_reaction(row: Row[Any]) -> TurnReaction:
    """The reaction of a row with the columns of `select_reactions`."""
    return TurnReaction(rating=row.rating, ta_question=row.state and QuestionState(row.state))


def select_reactions(course_id: CourseId, session_id: SessionId) -> Select[Any]:
    """The id, thumb and question for the TA of each turn of a session that has either."""
    turns, thumbs, waiting = tables.turns, tables.feedback, tables.waiting_questions
    return (
        select(turns.c.id, thumbs.c.rating, waiting.c.state)
        .join_from(turns, tables.sessions)
        .outerjoin(thumbs, thumbs.c.turn_id == turns.c.id)
        .outerjoin(waiting, waiting.c.turn_id == turns.c.id)
        .where(
            of_session(course_id, session_id), or_(thumbs.c.rating.is_not(None), waiting.c.state.is_not(None))
        )
    )


def select_waiting(course_id: CourseId) -> Select[Any]:
    """The columns of `to_waiting`, for one course, oldest first."""
    table = tables.waiting_questions
    joined = table.join(tables.turns).join(tables.sessions)
    columns = select(table, tables.turns.c.question, tables.sessions.c.course_id).select_from(joined)
    return columns.where(few_of_course(course_id)).order_by(table.c.created_at, table.c.id)


def few_of_course(course_id: CourseId) -> ColumnElement[bool]:
    """That a session is of a course, for rows that few turns have.

    Said so that no database begins with all sessions of the course and looks each of their turns up.
    """
    return (tables.sessions.c.course_id + "") == course_id


def require_turn(connection: Connection, course_id: CourseId, turn_id: TurnId) -> None:
    """`NotFound` unless the course has the turn."""
    joined = tables.turns.join(tables.sessions)
    in_course = and_(tables.turns.c.id == turn_id, tables.sessions.c.course_id == course_id)
    if connection.execute(select(tables.turns.c.id).select_from(joined).where(in_course)).first() is None:
        raise NotFound(Fault("session.no_turn", turn=turn_id, course=course_id))


def to_turn(row: Row[Any]) -> Turn:
    """The turn of a row of `select_turns`."""
    try:
        answer = answer_from_json(row.answer)
    except InvalidInput as error:
        raise UpstreamFailed(Fault("store.turn_unreadable", turn=row.id, reason=error.fault)) from error
    return from_row(Turn, row, answer=answer)


def to_feedback(row: Row[Any]) -> Feedback:
    """The thumbs of a row of `select_feedback`."""
    return from_row(Feedback, row)


def to_waiting(row: Row[Any]) -> WaitingQuestion:
    """The question of a row of `select_waiting`."""
    return from_row(WaitingQuestion, row)
