"""The sessions of the console: who is logged in, by which key, until when."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from sqlalchemy import Connection, Engine, delete, insert, select

from services.storage import tables
from services.storage.transactions import reading, write
from vta.ports import Clock
from vta.types import CourseId, CourseKey, KeyId

LASTS = timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSession:
    """An instructor who is logged in; `csrf` must come back with every write of theirs."""

    course_id: CourseId
    key_id: KeyId
    name: str
    csrf: str
    expires_at: datetime


class SqlConsoleSessions:
    """Opens, finds and closes sessions. The store keeps a digest of the cookie, never the cookie."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def open(self, key: CourseKey, name: str) -> tuple[str, ConsoleSession]:
        """A new session, always under a cookie that was never seen before; what has expired is dropped."""
        cookie, now = secrets.token_urlsafe(32), self._clock.now()
        session = ConsoleSession(
            course_id=key.course_id,
            key_id=key.id,
            name=name,
            csrf=secrets.token_urlsafe(32),
            expires_at=now + LASTS,
        )
        table = tables.console_sessions
        row = {"key_id": key.id, "name": name, "csrf": session.csrf, "expires_at": session.expires_at}

        def action(connection: Connection) -> None:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            connection.execute(insert(table).values(digest=_digest(cookie), **row))

        write(self._engine, action)
        return cookie, session

    def find(self, cookie: str) -> ConsoleSession | None:
        """The session of a cookie; None where it has expired or its key was revoked."""
        table, keys = tables.console_sessions, tables.course_keys
        query = (
            select(table, keys.c.course_id)
            .join_from(table, keys)
            .where(table.c.digest == _digest(cookie), keys.c.revoked_at.is_(None))
        )
        with reading(self._engine) as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.expires_at <= self._clock.now():
            return None
        return ConsoleSession(
            course_id=CourseId(row.course_id),
            key_id=KeyId(row.key_id),
            name=row.name,
            csrf=row.csrf,
            expires_at=row.expires_at,
        )

    def close(self, cookie: str) -> None:
        """Forget the session of a cookie, if there is one."""
        table = tables.console_sessions
        query = delete(table).where(table.c.digest == _digest(cookie))
        write(self._engine, lambda connection: connection.execute(query))


def _digest(cookie: str) -> str:
    return sha256(cookie.encode("utf-8", errors="replace")).hexdigest()
