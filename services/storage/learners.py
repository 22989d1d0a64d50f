"""Learners who came by a launch: their tokens, and what in a course is theirs."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Select, delete, insert, select

from services.storage.digests import digest_of
from services.storage.lti_platforms import PlatformId
from services.storage.tables import learner_sessions, sessions, turns
from services.storage.transactions import reading, write
from vta.ports import Clock
from vta.types import CourseId, SessionId, TurnId

TOKEN_LASTS = timedelta(hours=4)
TOKEN_PREFIX = "vtl_"  # noqa: S105  # how such a token begins, no token


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerSession:
    """A learner in one course, whom a platform vouched for."""

    course_id: CourseId
    learner_id: str
    platform_id: PlatformId


class SqlLearners:
    """Opens and finds learners' sessions. The store keeps a digest of the token, never the token."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def open(self, session: LearnerSession) -> str:
        """A new token, good for `TOKEN_LASTS`; what has expired is dropped."""
        token, now, table = TOKEN_PREFIX + secrets.token_urlsafe(32), self._clock.now(), learner_sessions
        row = {
            "digest": digest_of(token),
            "course_id": session.course_id,
            "learner_id": session.learner_id,
            "platform_id": session.platform_id,
            "expires_at": now + TOKEN_LASTS,
        }

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(row))

        write(self._engine, action)
        return token

    def find(self, token: str, course_id: CourseId) -> LearnerSession | None:
        """Whose token of this course it is; None for any other text, and for an expired one."""
        table = learner_sessions
        query = select(table).where(table.c.digest == digest_of(token), table.c.course_id == course_id)
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        return LearnerSession(
            course_id=course_id, learner_id=row.learner_id, platform_id=PlatformId(row.platform_id)
        )

    def latest_session(self, course_id: CourseId, learner_id: str) -> SessionId | None:
        """The session of the learner's last turn in a course."""
        query = (
            select(sessions.c.id)
            .join_from(sessions, turns)
            .where(sessions.c.course_id == course_id, sessions.c.learner_id == learner_id)
            .order_by(turns.c.created_at.desc(), turns.c.number.desc())
            .limit(1)
        )
        with reading(self._engine) as connection:
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else SessionId(found)

    def owner_of_session(self, course_id: CourseId, session_id: SessionId) -> str | None:
        """The learner whose session it is, if it has one."""
        query = select(sessions.c.learner_id).where(
            sessions.c.id == session_id, sessions.c.course_id == course_id
        )
        return self._owner(query)

    def owner_of_turn(self, course_id: CourseId, turn_id: TurnId) -> str | None:
        """The learner whose turn it is, if it has one."""
        query = (
            select(sessions.c.learner_id)
            .join_from(sessions, turns)
            .where(turns.c.id == turn_id, sessions.c.course_id == course_id)
        )
        return self._owner(query)

    def _owner(self, query: Select[Any]) -> str | None:
        with reading(self._engine) as connection:
            owner = connection.execute(query).scalar()
        return None if owner is None else str(owner)
