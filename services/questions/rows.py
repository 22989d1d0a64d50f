"""The rows of questions for a real TA: queries and changes of state."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select, update

from services.store import tables
from services.store.rows import from_row
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import comparison_key
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.inbox import MessageKind, QuestionMessage, QuestionState, WaitingQuestion

_AS_NEW = {
    "state": QuestionState.WAITING.value,
    "faq_id": None,
    "reason": None,
    "reason_is_public": False,
    "resolved_at": None,
    "seen": False,
    "mail_at": None,
}
SEEN_WITHIN = timedelta(minutes=10)
"""An asker who has not seen the answer in the sidebar by then gets an e-mail, if an address is known."""
ASKED_BACK = "asked_back"
"""The state of an answered question that waits for the student: a TA asked them something."""


def select_waiting(course_id: CourseId) -> Select[Any]:
    """The columns of `to_waiting`, for one course, oldest first."""
    table = tables.waiting_questions
    joined = table.join(tables.turns).join(tables.sessions)
    columns = select(table, tables.turns.c.question, tables.sessions.c.course_id).select_from(joined)
    # compared as an expression, for which there is no index: else the planner begins with all sessions of the
    # course and looks each of their turns up, though few turns wait for a TA
    in_course = (tables.sessions.c.course_id + "") == course_id
    return columns.where(in_course).order_by(table.c.created_at, table.c.id)


def to_waiting(row: Row[Any]) -> WaitingQuestion:
    """The question of a row of `select_waiting`."""
    return from_row(WaitingQuestion, row)


def read_messages(
    connection: Connection, question_ids: Sequence[str]
) -> Mapping[str, tuple[QuestionMessage, ...]]:
    """The messages of these questions, oldest first; questions without any are left out."""
    table = tables.question_messages
    query = select(table).where(table.c.question_id.in_(question_ids))
    rows = connection.execute(query.order_by(table.c.question_id, table.c.number))
    grouped = itertools.groupby(rows, key=lambda row: row.question_id)
    return {id: tuple(from_row(QuestionMessage, row) for row in rows) for id, rows in grouped}


def is_private(row: Row[Any]) -> bool:
    """Was the question answered to its asker alone?"""
    return row.state == QuestionState.ANSWERED and row.faq_id is None


def asked(row: Row[Any]) -> str:
    """The question of a row, as `WaitingQuestion.asks`."""
    return str(row.standalone_question or row.question)


def find_questions(
    connection: Connection, course_id: CourseId, question_ids: Sequence[str]
) -> Sequence[Row[Any]]:
    """The questions of these ids, oldest first, held until the transaction ends."""
    wanted = set(question_ids)
    if not wanted:
        raise InvalidInput(Fault("waiting_question.none_named"), field="questions")
    table = tables.waiting_questions
    query = select_waiting(course_id).where(table.c.id.in_(wanted)).with_for_update(of=table)
    found = connection.execute(query).all()
    for missing in sorted(wanted - {row.id for row in found}):
        raise NotFound(
            Fault("waiting_question.unknown", question=missing, course=course_id), field="questions"
        )
    return found


def hold_waiting(
    connection: Connection, course_id: CourseId, question_ids: Sequence[str]
) -> Sequence[Row[Any]]:
    """Like `find_questions`; `Conflict` where one of them does not wait."""
    found = find_questions(connection, course_id, question_ids)
    for row in found:
        if row.state != QuestionState.WAITING:
            raise Conflict(
                Fault("waiting_question.settled", question=row.id, state=row.state), field="questions"
            )
    return found


def with_same_words(
    connection: Connection, course_id: CourseId, held: Sequence[Row[Any]]
) -> Sequence[Row[Any]]:
    """These questions and all that wait and ask the same, held until the transaction ends.

    An answer becomes live for all who ask in these words, so nobody who asked so may be left waiting.
    """
    table, wordings = tables.waiting_questions, {comparison_key(asked(row)) for row in held}
    waiting = select_waiting(course_id).where(table.c.state == QuestionState.WAITING.value)
    same = {row.id for row in connection.execute(waiting) if comparison_key(asked(row)) in wordings}
    if same <= {row.id for row in held}:
        return held
    locked = waiting.where(table.c.id.in_(same)).with_for_update(of=table)
    return sorted(
        {row.id: row for row in (*held, *connection.execute(locked))}.values(),
        key=lambda row: (row.created_at, row.id),
    )


def in_state(state: str) -> ColumnElement[bool]:
    """The condition for questions in a state, or `ASKED_BACK`."""
    table, messages = tables.waiting_questions.c, tables.question_messages.c
    to_asker = messages.kind.in_((MessageKind.REPLY.value, MessageKind.QUESTION.value))
    last = select(messages.kind).where(messages.question_id == table.id, to_asker)
    last_kind = last.order_by(messages.number.desc()).limit(1).scalar_subquery()
    asked_back = table.faq_id.is_(None) & (func.coalesce(last_kind, "") == MessageKind.QUESTION.value)
    answered = table.state == QuestionState.ANSWERED.value
    match state:
        case "asked_back":
            return answered & asked_back
        case QuestionState.ANSWERED:
            return answered & ~asked_back
        case _:
            return table.state == state


def is_settled() -> ColumnElement[bool]:
    settled = (QuestionState.ANSWERED.value, QuestionState.REJECTED.value)
    return tables.waiting_questions.c.state.in_(settled)


def settle(
    connection: Connection,
    rows: Sequence[Row[Any]],
    *,
    state: QuestionState,
    now: datetime,
    **outcome: object,
) -> None:
    """Set the state of these questions, when they were resolved, and when their askers are written to."""
    table = tables.waiting_questions
    change = update(table).where(table.c.id.in_([row.id for row in rows]))
    connection.execute(change.values(state=state.value, resolved_at=now, **outcome))
    connection.execute(change.where(table.c.email.is_not(None)).values(mail_at=now + SEEN_WITHIN))


def let_wait(connection: Connection, rows: Sequence[Row[Any]]) -> None:
    """Put these questions back into the queue; the assignee stays."""
    table = tables.waiting_questions
    change = update(table).where(table.c.id.in_([row.id for row in rows]))
    connection.execute(change.values(_AS_NEW))
