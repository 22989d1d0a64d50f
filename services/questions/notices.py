"""The e-mail notices in the relational store: to staff on new questions, to students on answers.

`next_at` is when a notice goes out, NULL while none is due. The sender first moves it forward by
`CLAIMED_FOR`, so that no other process sends it too; after a crash it is due again then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from services.questions.rows import select_waiting, to_waiting
from services.store import tables
from services.store.audit_log import Event, note
from services.store.course_rows import find_course, require_course
from services.store.jobs import claim
from services.store.rows import as_row, from_row
from services.store.transactions import ClockedStore, reading, written
from services.webhooks.rows import WAITING
from services.webhooks.store import queue_delivery
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import Course, CourseId, SessionId, TurnId
from vta.types.inbox import QuestionState, WaitingQuestion

MOST_RECIPIENTS = 20
LISTED = 20
"""Questions that a notice lists."""
GATHERED_FOR, APART = timedelta(minutes=1), timedelta(minutes=10)
"""A notice at once gathers the questions of a moment, and goes out some time after the last."""
UNDER_WAY = timedelta(seconds=5)
"""Younger questions are left to the next notice, which also finds those that are not committed yet."""
CLAIMED_FOR, TRIED_AGAIN_AFTER, TRIED_FOR = timedelta(minutes=5), timedelta(minutes=15), timedelta(days=1)
_ADDRESS = re.compile(r"[^@\s,;<>()\"]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
LONGEST_ADDRESS = 254


class Pace(StrEnum):
    """When a notice of new questions goes out: soon after they came, or once a day."""

    AT_ONCE = "at_once"
    DAILY = "daily"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """The recipients of notices of a course's new questions.

    `recipients` are e-mail addresses, none for no e-mail; `hour` is that of the daily one in UTC;
    `tells_platform` sends each question to the course's webhook.
    """

    recipients: tuple[str, ...] = ()
    pace: Pace = Pace.DAILY
    hour: int = 6
    tells_platform: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DueNotice:
    """A notice to send now: the first of the new questions, how many are new, and how many wait in all."""

    course: Course
    notices: Notices
    questions: tuple[WaitingQuestion, ...]
    new: int
    waiting: int
    at: datetime

    @property
    def is_worth_sending(self) -> bool:
        """Are questions new, or waiting at a daily notice? Never of an archived course."""
        if self.course.archived:
            return False
        return bool(self.new or (self.waiting and self.notices.pace is Pace.DAILY))


class SqlNotices(ClockedStore):
    """The notices of all courses; safe for several processes."""

    def notices(self, course_id: CourseId) -> Notices:
        """Who gets notices of a course; nobody by default."""
        with reading(self._engine) as connection:
            row = _row(connection, course_id)
        return Notices() if row is None else from_row(Notices, row)

    @written
    def keep(self, connection: Connection, course_id: CourseId, notices: Notices) -> Notices:
        """Set who gets notices. `InvalidInput` names the field that cannot be used."""
        table, clean = tables.course_notices, _clean(notices)
        require_course(connection, course_id)
        now = self._clock.now()
        next_at = _next(clean, now, last=now) if _waiting(connection, course_id) else None
        row = {**as_row(clean), "next_at": next_at}
        if not connection.execute(update(table).filter_by(course_id=course_id).values(row)).rowcount:
            connection.execute(insert(table).values(course_id=course_id, told_until=now, **row))
        note(connection, Event.SETTINGS, course_id=course_id, detail="notices")
        return clean

    def claim(self) -> tuple[DueNotice, ...]:
        """Claim the notices that are due; no other process sends them meanwhile."""
        table, now = tables.course_notices, self._clock.now()

        def take(connection: Connection, row: Row[Any]) -> DueNotice | None:
            mine = update(table).filter_by(course_id=row.course_id)
            connection.execute(mine.values(next_at=now + CLAIMED_FOR))
            return _due(connection, row, now)

        return claim(self._engine, select(table).where(table.c.next_at <= now), take)

    @written
    def settle(self, connection: Connection, due: DueNotice, *, sent: bool) -> None:
        """Record whether a notice was sent; one that was not is retried."""
        table, course_id = tables.course_notices, due.course.id
        row = _row(connection, course_id)
        if row is None:
            return
        last = due.at if sent else row.told_until
        notices, now = from_row(Notices, row), self._clock.now()
        more = _waiting(connection, course_id, after=None if notices.pace is Pace.DAILY else last)
        next_at = _next(notices, now, last=now) if more else None
        change = update(table).filter_by(course_id=course_id)
        again = now + TRIED_AGAIN_AFTER
        connection.execute(change.values(told_until=last, next_at=next_at if sent else again))


def note_question(connection: Connection, course_id: CourseId, question_id: str, *, now: datetime) -> None:
    """Queue notices of a new question in the caller's transaction."""
    table, row = tables.course_notices, _row(connection, course_id)
    if row is None:
        return
    if row.tells_platform:
        queue_delivery(connection, course_id, WAITING, [question_id], now=now)
    if row.recipients and row.next_at is None:
        next_at = _next(from_row(Notices, row), now, last=row.told_until)
        connection.execute(update(table).filter_by(course_id=course_id).values(next_at=next_at))


def _next(notices: Notices, now: datetime, *, last: datetime) -> datetime | None:
    """The time of the next notice; None without recipients."""
    if not notices.recipients:
        return None
    if notices.pace is Pace.AT_ONCE:
        return max(now + GATHERED_FOR, last + APART)
    today = now.replace(hour=notices.hour, minute=0, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def _row(connection: Connection, course_id: CourseId) -> Row[Any] | None:
    return connection.execute(select(tables.course_notices).filter_by(course_id=course_id)).one_or_none()


def _waiting(connection: Connection, course_id: CourseId, *, after: datetime | None = None) -> int:
    """How many questions wait, or came after a moment and wait."""
    table = tables.waiting_questions
    query = select_waiting(course_id).where(table.c.state == QuestionState.WAITING.value).order_by(None)
    if after is not None:
        query = query.where(table.c.created_at > after)
    return int(connection.execute(query.with_only_columns(func.count())).scalar_one())


def _due(connection: Connection, row: Row[Any], now: datetime) -> DueNotice | None:
    course, table = find_course(connection, CourseId(row.course_id)), tables.waiting_questions
    if course is None:
        return None
    at = now - UNDER_WAY
    new = select_waiting(course.id).where(
        table.c.state == QuestionState.WAITING.value, table.c.created_at.between(row.told_until, at)
    )
    count = new.order_by(None).with_only_columns(func.count())
    return DueNotice(
        course=course,
        notices=from_row(Notices, row),
        questions=tuple(map(to_waiting, connection.execute(new.limit(LISTED)))),
        new=int(connection.execute(count).scalar_one()),
        waiting=_waiting(connection, course.id),
        at=at,
    )


def is_address(text: str) -> bool:
    return len(text) <= LONGEST_ADDRESS and text.isascii() and bool(_ADDRESS.fullmatch(text))


def _clean(notices: Notices) -> Notices:
    recipients: Sequence[str] = tuple(dict.fromkeys(filter(None, map(str.strip, notices.recipients))))
    if len(recipients) > MOST_RECIPIENTS:
        raise InvalidInput(Fault("notice.too_many", most=MOST_RECIPIENTS), field="recipients")
    for each in recipients:
        if not is_address(each):
            raise InvalidInput(Fault("notice.no_address", address=each[:80]), field="recipients")
    if not 0 <= notices.hour <= 23:
        raise InvalidInput(Fault("notice.hour"), field="hour")
    return replace(notices, recipients=tuple(recipients))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenAnswer:
    """A settled question whose asker has not opened the answer, and the asker's e-mail address.

    `claimed_until` is when another process may send it, and changes with every newer answer.
    """

    course: Course
    question_id: str
    turn_id: TurnId
    session_id: SessionId
    email: str
    settled_at: datetime
    claimed_until: datetime


class SqlUnseenAnswers(ClockedStore):
    """The e-mails on answers of real TAs; safe for several processes."""

    def claim(self) -> tuple[UnseenAnswer, ...]:
        """Claim those whose time has come; no other process sends them meanwhile."""
        table, now = tables.waiting_questions, self._clock.now()
        due = (
            select(table, tables.turns.c.session_id, tables.sessions.c.course_id)
            .join(tables.turns, tables.turns.c.id == table.c.turn_id)
            .join(tables.sessions, tables.sessions.c.id == tables.turns.c.session_id)
            .where(table.c.mail_at <= now)
        )

        def take(connection: Connection, row: Row[Any]) -> UnseenAnswer | None:
            mine = update(table).filter_by(id=row.id)
            until = now + CLAIMED_FOR
            connection.execute(mine.values(mail_at=until))
            course = find_course(connection, CourseId(row.course_id))
            named = {"question_id": row.id, "settled_at": row.resolved_at, "claimed_until": until}
            return None if course is None else from_row(UnseenAnswer, row, course=course, **named)

        return claim(self._engine, due, take)

    def settle(self, due: UnseenAnswer, *, sent: bool) -> None:
        """Record whether it was sent; what was not is tried again, for a day.

        Nothing is recorded where the question was answered anew or its asker saw the answer meanwhile.
        """
        now = self._clock.now()
        again = None if sent or now - due.settled_at > TRIED_FOR else now + TRIED_AGAIN_AFTER
        table = tables.waiting_questions
        still_mine = update(table).filter_by(id=due.question_id, mail_at=due.claimed_until)
        self._execute(still_mine.values(mail_at=again))
