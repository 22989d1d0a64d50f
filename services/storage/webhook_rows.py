"""What a platform is told, as it stands in the outbox and as it goes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, select

from services.storage import tables
from services.storage.rows import from_row
from services.storage.session_rows import last_replies
from vta.types import CourseId, MessageKind, QuestionState

ANSWERED, WAITING = "question.answered", "question.waiting"
REJECTED, REPLIED = "question.rejected", "question.replied"
INGESTED = "ingest.done"
TEST = "webhook.test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A question that was answered, and who asked it: the pseudonym that the platform's token names."""

    question_id: str
    turn_id: str
    session_id: str
    learner_id: str | None
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer of a real TA, as it was published."""

    faq_id: str
    question: str
    answer: str
    askers: tuple[Asker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerned:
    """Whose questions wait, were rejected for a reason, or were replied to without an answer for all."""

    askers: tuple[Asker, ...]
    reason: str | None = None
    reply: str | None = None
    asks_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """An upload that was read to its end or failed, with its files counted by what became of them."""

    ingest_id: str
    failed: bool
    added: int = 0
    unchanged: int = 0
    removed: int = 0
    rejected: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A delivery that is to be tried now; `claim` shows whose try it is."""

    id: str
    course_id: CourseId
    kind: str
    created_at: datetime
    url: str
    secret: str
    claim: str = ""
    answered: Answered | None = None
    concerned: Concerned | None = None
    ingested: Ingested | None = None

    def __repr__(self) -> str:
        return f"Outgoing(id={self.id!r}, course_id={self.course_id!r}, kind={self.kind!r})"


class Reason(StrEnum):
    """Why a delivery stands as it does."""

    HEARD = "heard"
    NOT_ACCEPTED = "not_accepted"
    REDIRECT = "redirect"
    """Which is not followed."""
    TIME_OUT = "time_out"
    UNREACHABLE = "unreachable"
    PRIVATE_ADDRESS = "private_address"
    """The name stands for an address inside the house, and nothing was connected to."""
    NO_ADDRESS = "no_address"
    """The course has none any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a try: the platform's status, or None where there was no reply."""

    status: int | None
    reason: Reason

    @property
    def is_heard(self) -> bool:
        """Whether the platform said that it has it."""
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
    reason: Reason | None


def read_answered(connection: Connection, row: Row[Any]) -> Answered:
    """The answer that a delivery names; askers who were erased since are not among those told of."""
    versions = tables.faq_versions
    entry = connection.execute(
        select(versions).where(versions.c.faq_id == row.faq_id, versions.c.version == row.version)
    ).one()
    return Answered(
        faq_id=row.faq_id,
        question=entry.question,
        answer=entry.answer,
        askers=_askers(connection, row.question_ids),
    )


def read_concerned(connection: Connection, row: Row[Any]) -> Concerned:
    """What a delivery says of questions without an entry, as they stand now."""
    waiting = tables.waiting_questions
    rejected = waiting.c.state == QuestionState.REJECTED.value
    reasons = select(waiting.c.reason).where(waiting.c.id.in_(row.question_ids), rejected)
    replies = last_replies(connection, row.question_ids) if row.kind == REPLIED else {}
    reply = next(iter(replies.values()), None)
    return Concerned(
        askers=_askers(connection, row.question_ids),
        reason=connection.execute(reasons).scalars().first() if row.kind == REJECTED else None,
        reply=None if reply is None else reply.text,
        asks_back=reply is not None and reply.kind is MessageKind.QUESTION,
    )


def _askers(connection: Connection, question_ids: Sequence[str]) -> tuple[Asker, ...]:
    waiting, turns, sessions = tables.waiting_questions, tables.turns, tables.sessions
    query = (
        select(
            waiting.c.id, turns.c.id.label("turn_id"), turns.c.question, sessions.c.id, sessions.c.learner_id
        )
        .select_from(waiting.join(turns).join(sessions))
        .where(waiting.c.id.in_(question_ids))
        .order_by(waiting.c.created_at, waiting.c.id)
    )
    return tuple(
        Asker(question_id=waiting_id, turn_id=turn, session_id=session, learner_id=learner, question=text)
        for waiting_id, turn, text, session, learner in connection.execute(query)
    )


def to_delivery(row: Row[Any]) -> Delivery:
    """The delivery of a row of the outbox."""
    return from_row(Delivery, row)
