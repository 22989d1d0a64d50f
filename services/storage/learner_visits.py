"""Learners who came by a launch: for how long they stay, under a token that only they know."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage.digests import digest_of
from services.storage.lti_platforms import PlatformId
from services.storage.tables import learner_visits as table
from services.storage.transactions import reading, write
from vta.ports import Clock
from vta.types import CourseId

LASTS = timedelta(hours=4)
TOKENS_BEGIN = "vtl_"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerVisit:
    """A learner in one course, under their pseudonym there, for whom a platform vouched."""

    course_id: CourseId
    learner_id: str
    platform_id: PlatformId


class SqlLearnerVisits:
    """Opens and finds visits. The store keeps a digest of the token, never the token."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def open(self, visit: LearnerVisit) -> str:
        """A new token, good for `LASTS`; what has expired is dropped."""
        token, now = TOKENS_BEGIN + secrets.token_urlsafe(32), self._clock.now()
        row = {
            "digest": digest_of(token),
            "course_id": visit.course_id,
            "learner_id": visit.learner_id,
            "platform_id": visit.platform_id,
            "expires_at": now + LASTS,
        }

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(row))

        write(self._engine, action)
        return token

    def find(self, token: str, course_id: CourseId) -> LearnerVisit | None:
        """Whose token of this course it is; None for any other text, and for an expired one."""
        query = select(table).where(table.c.digest == digest_of(token), table.c.course_id == course_id)
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        return LearnerVisit(
            course_id=course_id, learner_id=row.learner_id, platform_id=PlatformId(row.platform_id)
        )
