"""Messages about waiting questions in the relational store."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, insert, select

from services.storage import tables
from services.storage.session_rows import select_waiting
from services.storage.ta_queue_rows import find_questions
from services.storage.transactions import reading, write
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId, MessageKind, QuestionMessage

LONGEST_MESSAGE = 4000
"""Characters."""


class SqlQuestionThreads:
    """The port `QuestionThreads`."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def note(self, course_id: CourseId, question_ids: Sequence[str], text: str, *, author: str) -> None:
        def action(connection: Connection) -> None:
            ids = [row.id for row in find_questions(connection, course_id, question_ids)]
            _append(connection, ids, MessageKind.NOTE, author, text, self._clock.now())

        write(self._engine, action)

    def messages(
        self, course_id: CourseId, question_ids: Sequence[str]
    ) -> Mapping[str, tuple[QuestionMessage, ...]]:
        table, questions = tables.question_messages, tables.waiting_questions
        here = select_waiting(course_id).where(questions.c.id.in_(question_ids))
        query = (
            select(table)
            .where(table.c.question_id.in_(here.order_by(None).with_only_columns(questions.c.id)))
            .order_by(table.c.question_id, table.c.number)
        )
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
        grouped = itertools.groupby(rows, key=lambda row: row.question_id)
        return {id: tuple(map(_to_message, of_question)) for id, of_question in grouped}


def _append(
    connection: Connection, ids: Sequence[str], kind: MessageKind, author: str, text: str, now: datetime
) -> None:
    """Write a message into the threads of these questions, which are held. `InvalidInput` for a bad text."""
    text, table = text.strip(), tables.question_messages
    if not text:
        raise InvalidInput(Fault("waiting_question.no_message"), field="text")
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(Fault("waiting_question.long_message", most=LONGEST_MESSAGE), field="text")
    counted = select(table.c.question_id, func.max(table.c.number)).where(table.c.question_id.in_(ids))
    last = {row[0]: row[1] for row in connection.execute(counted.group_by(table.c.question_id))}
    message = {"kind": kind.value, "author": author, "text": text, "created_at": now}
    rows = [{"question_id": id, "number": last.get(id, 0) + 1, **message} for id in ids]
    connection.execute(insert(table), rows)


def _to_message(row: Row[Any]) -> QuestionMessage:
    return QuestionMessage(
        kind=MessageKind(row.kind), author=row.author, text=row.text, created_at=row.created_at
    )
