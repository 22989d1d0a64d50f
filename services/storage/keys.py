"""The keys of courses. A key is shown once; what is kept is its digest."""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from services.storage import tables
from services.storage.courses import require_course
from services.storage.rows import from_row
from services.storage.transactions import ClockedStore, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import CourseId, CourseKey, KeyId, Role

_SHAPE = re.compile(r"vta_([0-9a-f]{12})_([\w-]{43})")


class SqlKeys(ClockedStore):
    """Makes, checks and revokes keys; every check reads the store, so a revoked key is refused at once."""

    def make(self, course_id: CourseId, role: Role) -> tuple[str, CourseKey]:
        """A new key of 256 random bits: its text, which is kept nowhere, and the key."""
        key_id, secret = KeyId(secrets.token_hex(6)), secrets.token_urlsafe(32)
        key = CourseKey(id=key_id, course_id=course_id, role=role, created_at=self._clock.now())

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            row = {"course_id": course_id, "role": role.value, "created_at": key.created_at}
            connection.execute(insert(tables.course_keys).values(id=key_id, digest=_digest(secret), **row))

        write(self._engine, action)
        return f"vta_{key_id}_{secret}", key

    def check(self, text: str) -> CourseKey | None:
        """The key that this text is; None for any other text and for a revoked key."""
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            return None
        table = tables.course_keys
        row = self._row(select(table).where(table.c.id == shape[1]))
        if row is None or not hmac.compare_digest(row.digest, _digest(shape[2])):
            return None
        key = _key(row)
        return None if key.revoked else key

    def key(self, key_id: KeyId) -> CourseKey | None:
        """A key that is not revoked, by its id."""
        table = tables.course_keys
        row = self._row(select(table).where(table.c.id == key_id))
        return _key(row) if row is not None and row.revoked_at is None else None

    def keys(self, course_id: CourseId) -> tuple[CourseKey, ...]:
        """All keys of a course, revoked ones too, oldest first."""
        table = tables.course_keys
        query = select(table).where(table.c.course_id == course_id).order_by(table.c.created_at, table.c.id)
        return tuple(map(_key, self._rows(query)))

    def revoke(self, course_id: CourseId, key_id: KeyId, *, role: Role | None = None) -> None:
        """Refuse a key from now on; `NotFound` for one of another course, or of another role than given."""
        table = tables.course_keys
        change = update(table).where(table.c.id == key_id, table.c.course_id == course_id)
        if role is not None:
            change = change.where(table.c.role == role.value)

        def action(connection: Connection) -> int:
            return connection.execute(change.values(revoked_at=self._clock.now())).rowcount

        if not write(self._engine, action):
            kind = f"{role.value}'s key" if role else "key"
            raise NotFound(Fault("key.none_such", kind=kind, key=key_id, course=course_id))


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _key(row: Row[Any]) -> CourseKey:
    return from_row(CourseKey, row, revoked=row.revoked_at is not None)
