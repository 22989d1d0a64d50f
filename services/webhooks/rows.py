"""Webhook deliveries: as rows of the outbox, and as they are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from services.store import tables
from services.store.rows import from_row
from vta.types.courses import CourseId
from vta.types.inbox import MessageKind, QuestionMessage, QuestionState

ANSWERED, WAITING = "question.answered", "question.waiting"
REJECTED, REPLIED = "question.rejected", "question.replied"
INGESTED = "ingest.done"
TEST = "webhook.test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """A finished or failed upload, with its files counted by outcome."""

    ingest_id: str
    failed: bool
    added: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A delivery that is to be tried now: `data` is its payload in JSON, `claim` shows whose try it is."""

    id: str
    course_id: CourseId
    kind: str
    created_at: datetime
    url: str
    secret: str
    data: Mapping[str, object]
    claim: str = ""

    def __repr__(self) -> str:
        return f"Outgoing(id={self.id!r}, course_id={self.course_id!r}, kind={self.kind!r})"


class DeliveryReason(StrEnum):
    """The outcome of the last try of a delivery."""

    HEARD = "heard"
    NOT_ACCEPTED = "not_accepted"
    REDIRECT = "redirect"
    """Which is not followed."""
    TIME_OUT = "time_out"
    UNREACHABLE = "unreachable"
    PRIVATE_ADDRESS = "private_address"
    """The host name resolves to an internal address, so no connection was made."""
    NO_ADDRESS = "no_address"
    """The course's URL was cleared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryOutcome:
    """The outcome of a try: the platform's status, or None without a reply."""

    status: int | None
    reason: DeliveryReason

    @property
    def is_heard(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A delivery as it stands; `state` is waiting, delivered or failed."""

    id: str
    kind: str
    state: str
    attempts: int
    created_at: datetime
    tried_at: datetime | None
    status: int | None
    reason: DeliveryReason | None


def read_data(connection: Connection, row: Row[Any]) -> dict[str, object]:
    """The payload of a delivery, read from the present rows that it names.

    Learners who were erased since are not among the askers.
    """
    data: dict[str, object] = {"course_id": row.course_id}
    if row.kind == INGESTED:
        return {**data, **row.facts}
    if row.kind == ANSWERED:
        versions = tables.faq_versions
        published = select(versions.c.faq_id, versions.c.question, versions.c.answer).where(
            versions.c.faq_id == row.faq_id, versions.c.version == row.version
        )
        data |= connection.execute(published).mappings().one()
    elif row.kind == REJECTED:
        waiting = tables.waiting_questions
        rejected = waiting.c.state == QuestionState.REJECTED.value
        reasons = select(waiting.c.reason).where(waiting.c.id.in_(row.question_ids), rejected)
        data["reason"] = connection.execute(reasons).scalars().first()
    elif row.kind == REPLIED:
        reply = next(iter(last_replies(connection, row.question_ids).values()), None)
        data["reply"] = None if reply is None else reply.text
        data["asks_back"] = reply is not None and reply.kind is MessageKind.QUESTION
    return data | {"askers": _askers(connection, row.question_ids)}


def _askers(connection: Connection, question_ids: Sequence[str]) -> list[dict[str, object]]:
    """The questions, and who asked them: the pseudonym that the platform's token names."""
    waiting, turns, sessions = tables.waiting_questions, tables.turns, tables.sessions
    query = (
        select(
            waiting.c.id.label("question_id"),
            waiting.c.turn_id,
            turns.c.session_id,
            sessions.c.learner_id,
            turns.c.question,
        )
        .select_from(waiting.join(turns).join(sessions))
        .where(waiting.c.id.in_(question_ids))
        .order_by(waiting.c.created_at, waiting.c.id)
    )
    return [dict(row) for row in connection.execute(query).mappings()]


def last_replies(
    connection: Connection, question_ids: Sequence[str] | Select[Any]
) -> Mapping[str, QuestionMessage]:
    """The last message of a TA to the asker of each question, where there is one."""
    table = tables.question_messages
    to_askers = table.c.kind.in_((MessageKind.REPLY.value, MessageKind.QUESTION.value))
    query = select(table).where(table.c.question_id.in_(question_ids), to_askers).order_by(table.c.number)
    return {row.question_id: from_row(QuestionMessage, row) for row in connection.execute(query)}
