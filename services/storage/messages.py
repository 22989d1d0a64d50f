"""The rows of messages about waiting questions, and what they are outside the database."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from services.storage import tables
from services.storage.rows import from_row
from vta.types import MessageKind, QuestionMessage, QuestionState


def read_messages(
    connection: Connection, question_ids: Sequence[str]
) -> Mapping[str, tuple[QuestionMessage, ...]]:
    """The messages of these questions, oldest first; questions without any are left out."""
    table = tables.question_messages
    query = select(table).where(table.c.question_id.in_(question_ids))
    rows = connection.execute(query.order_by(table.c.question_id, table.c.number))
    grouped = itertools.groupby(rows, key=lambda row: row.question_id)
    return {id: tuple(map(_to_message, of_question)) for id, of_question in grouped}


def last_replies(connection: Connection, question_ids: Sequence[str]) -> Mapping[str, QuestionMessage]:
    """What a TA last wrote to the asker of each of these questions, where one did."""
    table = tables.question_messages
    to_askers = table.c.kind.in_((MessageKind.REPLY.value, MessageKind.QUESTION.value))
    query = select(table).where(table.c.question_id.in_(question_ids), to_askers).order_by(table.c.number)
    return {row.question_id: _to_message(row) for row in connection.execute(query)}


def is_private(row: Row[Any]) -> bool:
    """Whether a question was answered to its asker alone."""
    return row.state == QuestionState.ANSWERED and row.faq_id is None


def _to_message(row: Row[Any]) -> QuestionMessage:
    return from_row(QuestionMessage, row)
