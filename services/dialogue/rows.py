"""The rows of sessions: queries, and the dataclasses made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, exists, or_, select

from services.faq.rows import entry_of_pair
from services.rendering.answer_json import answer_from_json
from services.store import tables
from services.store.rows import as_row, from_row
from vta.dialogue.degradations import counted_route, has_failed
from vta.errors import InvalidInput, NotFound, UpstreamFailed
from vta.faults import Fault
from vta.types.answers import Answer, Route, Turn
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.inbox import QuestionState
from vta.types.questions import Conditions, Position, Question


def unknown_session(course_id: CourseId, session_id: SessionId) -> NotFound:
    """The same error for an unknown session and for another's, so that nobody learns which it is."""
    return NotFound(Fault("session.unknown", session=session_id, course=course_id))


def of_session(
    course_id: CourseId | ColumnElement[str], session_id: SessionId | ColumnElement[str]
) -> ColumnElement[bool]:
    """The condition that picks a session of a course."""
    return and_(tables.sessions.c.id == session_id, tables.sessions.c.course_id == course_id)


def select_turns() -> Select[Any]:
    """The columns of `to_turn`."""
    return select(tables.turns, tables.sessions.c.course_id).join_from(tables.turns, tables.sessions)


def fact_columns(kind: type[Position | Conditions]) -> list[Column[Any]]:
    """The columns of `turn_facts` of a `Position`, or of the `Conditions`."""
    return [tables.turn_facts.c[field.name] for field in fields(kind)]


def given_to_study() -> ColumnElement[bool]:
    """Whether the session's learner gave it to the study whose text the course has now."""
    sessions, consents, shown = tables.sessions.c, tables.research_consents.c, tables.course_embeddings.c
    return exists().where(
        consents.course_id == sessions.course_id,
        consents.learner_id == sessions.learner_id,
        consents.given,
        shown.course_id == sessions.course_id,
        shown.research == consents.study,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReaction:
    """A student's reaction to an answer: the thumb that counts, and the state of the question for the TA."""

    rating: str | None = None
    ta_question: QuestionState | None = None


NO_REACTION = TurnReaction()


def select_reactions(course_id: CourseId, session_id: SessionId) -> Select[Any]:
    """The id and the columns of `TurnReaction` of each turn of a session that has either of these."""
    turns, thumbs, waiting = tables.turns, tables.feedback, tables.waiting_questions
    return (
        select(turns.c.id, thumbs.c.rating, waiting.c.state.label("ta_question"))
        .join_from(turns, tables.sessions)
        .outerjoin(thumbs, thumbs.c.turn_id == turns.c.id)
        .outerjoin(waiting, waiting.c.turn_id == turns.c.id)
        .where(
            of_session(course_id, session_id), or_(thumbs.c.rating.is_not(None), waiting.c.state.is_not(None))
        )
    )


def require_turn(connection: Connection, course_id: CourseId, turn_id: TurnId) -> None:
    """`NotFound` unless the course has the turn."""
    joined = tables.turns.join(tables.sessions)
    in_course = and_(tables.turns.c.id == turn_id, tables.sessions.c.course_id == course_id)
    if connection.execute(select(tables.turns.c.id).select_from(joined).where(in_course)).first() is None:
        raise NotFound(Fault("session.no_turn", turn=turn_id, course=course_id))


def new_turn(question: Question, answer: Answer, *, number: int, at: datetime, flagged: bool) -> Turn:
    """The turn of a question and its answer, whether or not it is stored."""
    return Turn(
        id=answer.turn_id,
        session_id=answer.session_id,
        course_id=answer.course_id,
        number=number,
        question=question.text,
        answer=answer,
        created_at=at,
        flagged=flagged,
    )


def to_turn(row: Row[Any]) -> Turn:
    """The turn of a row of `select_turns`."""
    try:
        answer = answer_from_json(row.answer)
    except InvalidInput as error:
        raise UpstreamFailed(Fault("store.turn_unreadable", turn=row.id, reason=error.fault)) from error
    return from_row(Turn, row, answer=answer)


def facts_of(turn: Turn, question: Question) -> Mapping[str, object]:
    """The row of `turn_facts` of a turn, but for the revision."""
    answer, conditions = turn.answer, as_row(question.conditions)
    del conditions["revision"]
    cited = answer.citations[:1] if answer.route is not Route.UNANSWERED else ()
    return {
        "turn_id": turn.id,
        "course_id": turn.course_id,
        "asked_at": turn.created_at,
        "session_id": turn.session_id,
        "number": turn.number,
        "question": turn.question,
        "route": counted_route(answer).value,
        "failed": has_failed(answer),
        "milliseconds": sum(step.ms for step in answer.trace),
        "concepts": [concept.name for concept in answer.concepts],
        "faq_id": next((entry_of_pair(each.pair_id) for each in cited), None),
        **as_row(question.position or Position()),
        **conditions,
    }
