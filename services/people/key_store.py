"""The keys of courses. A key is shown once; the store has its digest."""

from __future__ import annotations

import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, exists, insert, or_, select, update

from services.store import tables
from services.store.audit_log import ActorKind, Event, change, current_actor, note
from services.store.course_rows import require_course
from services.store.rows import from_row
from services.store.store_secrets import digest_of
from services.store.transactions import ClockedStore, written
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId, CourseKey, KeyId, Role

REPLACED_LASTS = timedelta(hours=24)
"""The further life of a key that another one replaces."""
_SHAPE = re.compile(r"vta_([0-9a-f]{12})_([\w-]{43})")
_KEYS = select(tables.course_keys, tables.people.c.name.label("maker")).outerjoin(
    tables.people, tables.people.c.id == tables.course_keys.c.maker_id
)


class SqlKeys(ClockedStore):
    """Makes, checks and revokes keys; every check reads the store, so a revoked key is refused at once."""

    @written
    def make(
        self,
        connection: Connection,
        course_id: CourseId,
        role: Role,
        *,
        replaces: KeyId | None = None,
        lasts: timedelta = REPLACED_LASTS,
    ) -> tuple[str, CourseKey]:
        """Make a key of 256 random bits; returns its text, which is not stored, and the key.

        A key that it `replaces` works on for `lasts`; `NotFound` for one of another course or role, and for
        one that was revoked or replaced before.
        """
        key_id, secret = KeyId(secrets.token_hex(6)), secrets.token_urlsafe(32)
        key = CourseKey(id=key_id, course_id=course_id, role=role, created_at=self._clock.now())
        require_course(connection, course_id)
        row: dict[str, object] = {"course_id": course_id, "role": role.value}
        row |= {"id": key_id, "digest": digest_of(secret), "created_at": key.created_at}
        row |= {"maker_id": _maker(connection)}
        connection.execute(insert(tables.course_keys).values(row))
        note(connection, Event.KEY_MADE, course_id=course_id, detail=f"{key_id}, {role.value}")
        if replaces is not None:
            old = {"id": replaces, "course_id": course_id, "role": role.value, "revoked_at": None}
            ends = update(tables.course_keys).filter_by(**old).values(revoked_at=key.created_at + lasts)
            if not connection.execute(ends).rowcount:
                raise _no_key(course_id, replaces, role)
            note(connection, Event.KEY_REPLACED, course_id=course_id, detail=f"{replaces}, {key_id}")
        return f"vta_{key_id}_{secret}", key

    def check(self, text: str) -> CourseKey | None:
        """The key that this text is; None for any other text and for a revoked key."""
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            return None
        row = self._row(_KEYS.where(tables.course_keys.c.id == shape[1], is_valid(self._clock.now())))
        if row is None or not hmac.compare_digest(row.digest, digest_of(shape[2])):
            return None
        return self._key(row)

    def keys(self, course_id: CourseId) -> tuple[CourseKey, ...]:
        """All keys of a course, revoked ones too, oldest first."""
        table = tables.course_keys.c
        query = _KEYS.where(table.course_id == course_id).order_by(table.created_at, table.id)
        return tuple(map(self._key, self._rows(query)))

    def made_by(self, person_id: str) -> tuple[CourseKey, ...]:
        """The keys of all courses that a person made and that are not revoked, oldest first."""
        table = tables.course_keys.c
        query = _KEYS.where(table.maker_id == person_id, is_valid(self._clock.now()))
        return tuple(map(self._key, self._rows(query.order_by(table.created_at, table.id))))

    def revoke(self, course_id: CourseId, key_id: KeyId, *, role: Role | None = None) -> None:
        """Refuse a key from now on; `NotFound` for one of another course, or of another role than given."""
        key = update(tables.course_keys).filter_by(id=key_id, course_id=course_id)
        if role is not None:
            key = key.filter_by(role=role.value)
        said = {"course_id": course_id, "detail": key_id}
        if not change(self._engine, key.values(revoked_at=self._clock.now()), Event.KEY_REVOKED, **said):
            raise _no_key(course_id, key_id, role)

    def _key(self, row: Row[Any]) -> CourseKey:
        revoked = row.revoked_at is not None and row.revoked_at <= self._clock.now()
        return from_row(CourseKey, row, revoked=revoked, ends_at=None if revoked else row.revoked_at)


def is_valid(now: datetime) -> ColumnElement[bool]:
    """SQL for keys that are neither revoked nor replaced for too long."""
    revoked_at = tables.course_keys.c.revoked_at
    return or_(revoked_at.is_(None), revoked_at > now)


def revoke_lost_keys(connection: Connection, person_id: str, now: datetime) -> None:
    """Revoke a person's keys of courses that they may not change any more, in a caller's transaction."""
    keys, people, mine = tables.course_keys, tables.people, tables.memberships.c
    teaches = exists().where(
        mine.person_id == people.c.id, mine.course_id == keys.c.course_id, mine.role == "instructor"
    )
    may = exists().where(people.c.id == person_id, ~people.c.disabled, or_(people.c.role == "admin", teaches))
    lost = select(keys.c.id, keys.c.course_id).where(keys.c.maker_id == person_id, is_valid(now), ~may)
    for row in connection.execute(lost).all():
        connection.execute(update(keys).filter_by(id=row.id).values(revoked_at=now))
        note(connection, Event.KEY_REVOKED, course_id=row.course_id, person_id=person_id, detail=row.id)


def _maker(connection: Connection) -> str | None:
    """The person who acts, or who made the key that acts; None for anybody else."""
    actor = current_actor()
    if actor.kind is ActorKind.KEY:
        return connection.scalar(select(tables.course_keys.c.maker_id).filter_by(id=actor.id))
    return actor.id if actor.kind is ActorKind.PERSON else None


def _no_key(course_id: CourseId, key_id: KeyId, role: Role | None) -> NotFound:
    kind = f"{role.value}'s key" if role else "key"
    return NotFound(Fault("key.none_such", kind=kind, key=key_id, course=course_id))
