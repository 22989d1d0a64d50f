"""The rows of questions for the TA: found, held, settled, and let wait again, inside a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, update

from services.storage import tables
from services.storage.session_rows import select_waiting
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import bare
from vta.faults import Fault
from vta.types import CourseId, QuestionState

_AS_NEW = {
    "state": QuestionState.WAITING.value,
    "faq_id": None,
    "reason": None,
    "reason_is_public": False,
    "resolved_at": None,
    "seen": False,
}


def asked(row: Row[Any]) -> str:
    """What a row asks, as `WaitingQuestion.asks`."""
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
    """The same, all of which must wait."""
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

    An answer becomes live for all who ask in these words, so nobody who asked so may go on waiting.
    """
    table, wordings = tables.waiting_questions, {bare(asked(row)) for row in held}
    waiting = select_waiting(course_id).where(table.c.state == QuestionState.WAITING.value)
    same = {row.id for row in connection.execute(waiting) if bare(asked(row)) in wordings}
    if same <= {row.id for row in held}:
        return held
    locked = waiting.where(table.c.id.in_(same)).with_for_update(of=table)
    return sorted(
        {row.id: row for row in (*held, *connection.execute(locked))}.values(),
        key=lambda row: (row.created_at, row.id),
    )


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
    """Let these wait no longer."""
    table = tables.waiting_questions
    change = update(table).where(table.c.id.in_([row.id for row in rows]))
    connection.execute(change.values(state=state.value, resolved_at=now, **outcome))


def let_wait(connection: Connection, rows: Sequence[Row[Any]]) -> None:
    """Let these wait as on the first day; who takes care of them stays."""
    table = tables.waiting_questions
    change = update(table).where(table.c.id.in_([row.id for row in rows]))
    connection.execute(change.values(_AS_NEW))
