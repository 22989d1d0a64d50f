"""The sessions of the console: who is logged in, by which key or LTI platform, until when."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage import tables
from services.storage.digests import digest_of
from services.storage.lti_platforms import PlatformId
from services.storage.transactions import reading, write
from vta.ports import Clock
from vta.types import CourseId, CourseKey, KeyId

LASTS = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSession:
    """An instructor who is logged in; `csrf` must come back with every write of theirs.

    Without a `key_id` they came by a launch from an LTI platform, maybe as a teaching assistant.
    """

    course_id: CourseId
    key_id: KeyId | None
    name: str
    csrf: str
    expires_at: datetime
    is_assistant: bool = False


class SqlConsoleSessions:
    """Opens, finds and closes sessions. The store keeps a digest of the cookie, never the cookie."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def open(self, key: CourseKey, name: str) -> tuple[str, ConsoleSession]:
        """A new session of a key's bearer; it ends with the key."""
        return self._open(key.course_id, name, key_id=key.id)

    def open_launched(
        self, course_id: CourseId, platform_id: PlatformId, name: str, *, is_assistant: bool
    ) -> tuple[str, ConsoleSession]:
        """A new session of an instructor whom an LTI platform vouched for; it ends with the platform."""
        return self._open(course_id, name, platform_id=platform_id, is_assistant=is_assistant)

    def _open(
        self,
        course_id: CourseId,
        name: str,
        *,
        key_id: KeyId | None = None,
        platform_id: PlatformId | None = None,
        is_assistant: bool = False,
    ) -> tuple[str, ConsoleSession]:
        """Always under a cookie that was never seen before; what has expired is dropped."""
        cookie, now = secrets.token_urlsafe(32), self._clock.now()
        session = ConsoleSession(
            course_id=course_id,
            key_id=key_id,
            name=name,
            csrf=secrets.token_urlsafe(32),
            expires_at=now + LASTS,
            is_assistant=is_assistant,
        )
        table = tables.console_sessions
        row = {
            "course_id": course_id,
            "key_id": key_id,
            "platform_id": platform_id,
            "name": name,
            "csrf": session.csrf,
            "expires_at": session.expires_at,
            "is_assistant": is_assistant,
        }

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(digest=digest_of(cookie), **row))

        write(self._engine, action)
        return cookie, session

    def find(self, cookie: str) -> ConsoleSession | None:
        """The session of a cookie; None where it has expired or its key was revoked."""
        table, keys = tables.console_sessions, tables.course_keys
        query = (
            select(table)
            .join_from(table, keys, isouter=True)
            .where(table.c.digest == digest_of(cookie), keys.c.revoked_at.is_(None))
        )
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        return ConsoleSession(
            course_id=CourseId(row.course_id),
            key_id=None if row.key_id is None else KeyId(row.key_id),
            name=row.name,
            csrf=row.csrf,
            expires_at=row.expires_at,
            is_assistant=row.is_assistant,
        )

    def close(self, cookie: str) -> None:
        """Forget the session of a cookie, if there is one."""
        table = tables.console_sessions
        query = delete(table).where(table.c.digest == digest_of(cookie))
        write(self._engine, lambda connection: connection.execute(query))
