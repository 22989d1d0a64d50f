"""Links that let people in: invitations to a course, and links to set a password. Each works once."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from services.people.key_store import is_valid
from services.people.store import CourseRole, PersonId, PlatformRole, insert_person, put_member, put_password
from services.store import tables
from services.store.audit_log import Actor, ActorKind, Event, change, note
from services.store.course_rows import find_course, require_course
from services.store.rows import from_row
from services.store.store_secrets import BearerStore, digest_of, insert_expiring
from services.store.transactions import reading, written
from vta.errors import Conflict, NotFound
from vta.faults import Fault
from vta.types.courses import CourseId, KeyId, Role

LASTS = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """The maker of a link in the console of a course: one of its people or the bearer of one of its keys."""

    course_id: CourseId
    person_id: PersonId | None = None
    key_id: KeyId | None = None


def may_invite(connection: Connection, maker: Maker, now: datetime) -> bool:
    """True if a maker may let people into the course now: as its instructor, an admin, or by a key of it.

    Nobody may while it is archived.
    """
    course = find_course(connection, maker.course_id)
    if course is None or course.archived:
        return False
    if maker.person_id is not None:
        person = _person(connection, maker.person_id)
        return person is not None and not person.disabled and _teaches(connection, person, maker.course_id)
    of_instructor = {"course_id": maker.course_id, "role": Role.INSTRUCTOR.value}
    key = select(tables.course_keys.c.id).filter_by(id=maker.key_id, **of_instructor).where(is_valid(now))
    return connection.execute(key).first() is not None


def may_reset(connection: Connection, maker: Maker, person_id: PersonId, now: datetime) -> bool:
    """True if a maker may make a link now by which a member of the course sets a password.

    Such a link opens the account, so it must not exceed the maker's rights: no rights on the platform, and no
    course that the maker does not teach.
    """
    person = _person(connection, person_id)
    theirs = _courses(connection, person_id)
    if person is None or maker.course_id not in theirs or not may_invite(connection, maker, now):
        return False
    by = None if maker.person_id is None else _person(connection, maker.person_id)
    if by is not None and by.role == PlatformRole.ADMIN:
        return True
    mine = {maker.course_id} if by is None else _courses(connection, PersonId(by.id), CourseRole.INSTRUCTOR)
    return person.role == PlatformRole.MEMBER and theirs <= mine


def _teaches(connection: Connection, person: Row[Any], course_id: CourseId) -> bool:
    is_admin = person.role == PlatformRole.ADMIN
    return is_admin or course_id in _courses(connection, person.id, CourseRole.INSTRUCTOR)


def _person(connection: Connection, person_id: PersonId) -> Row[Any] | None:
    return connection.execute(select(tables.people).filter_by(id=person_id)).one_or_none()


def _courses(connection: Connection, person_id: PersonId, role: CourseRole | None = None) -> set[CourseId]:
    """The courses that someone was let into, in any role or in one."""
    query = select(tables.memberships.c.course_id).filter_by(person_id=person_id)
    if role is not None:
        query = query.filter_by(role=role.value)
    return {CourseId(course) for course in connection.execute(query).scalars()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation to a course. `id` is the digest of the link's secret, and opens nothing."""

    id: str
    course_id: CourseId
    role: CourseRole
    name: str
    email: str
    invited_by: str
    expires_at: datetime

    def is_for(self, email: str) -> bool:
        """True if it invites the account of an address; without an address it invites any."""
        return self.email in ("", email)


class SqlInvitations(BearerStore):
    """Stores links until they are used or a week old, by digests of their secrets.

    A link works only while its maker may make it; every use reads that from the store.
    """

    @written
    def make(
        self, connection: Connection, maker: Maker, role: CourseRole, *, name: str, email: str, by: str
    ) -> str:
        """The secret of a new invitation, which is not stored. `NotFound` for an unknown course."""
        secret, now = secrets.token_urlsafe(32), self._clock.now()
        row = {
            "digest": digest_of(secret),
            "role": role.value,
            "name": name,
            "email": email,
            "invited_by": by,
            "expires_at": now + LASTS,
            **_columns(maker),
        }
        require_course(connection, maker.course_id)
        insert_expiring(connection, tables.invitations, row, now)
        note(connection, Event.INVITED, course_id=maker.course_id, detail=role.value)
        return secret

    def find(self, secret: str) -> Invitation:
        """The invitation of a link; `NotFound` where it is unknown, used, withdrawn or too old."""
        with reading(self._engine) as connection:
            return self._read(connection, secret)

    def waiting(self, course_id: CourseId) -> tuple[Invitation, ...]:
        """The invitations to a course that work and that nobody has used yet, oldest first."""
        table, now = tables.invitations, self._clock.now()
        query = select(table).where(table.c.course_id == course_id, table.c.expires_at > now)
        with reading(self._engine) as connection:
            rows = connection.execute(query.order_by(table.c.expires_at)).all()
            return tuple(_invitation(row) for row in rows if may_invite(connection, _maker(row), now))

    def withdraw(self, course_id: CourseId, invitation_id: str) -> None:
        """The link opens nothing from now on."""
        query = delete(tables.invitations).filter_by(course_id=course_id, digest=invitation_id)
        if not change(self._engine, query, Event.INVITATION_WITHDRAWN, course_id=course_id):
            raise _gone()

    @written
    def join(self, connection: Connection, secret: str, person_id: PersonId) -> CourseId:
        """Let someone who has an account in; nobody loses rights by a lesser invitation.

        `Conflict` where it is for another e-mail address; then the link works still.
        """
        invitation = self._use(connection, secret)
        email = select(tables.people.c.email).filter_by(id=person_id)
        if not invitation.is_for(connection.execute(email).scalar_one()):
            raise Conflict(Fault("person.other_address", email=invitation.email))
        if invitation.course_id not in _courses(connection, person_id, CourseRole.INSTRUCTOR):
            now = self._clock.now()
            put_member(connection, invitation.course_id, person_id, invitation.role, now=now)
        return invitation.course_id

    @written
    def accept(
        self, connection: Connection, secret: str, *, name: str, email: str, password: str | None
    ) -> tuple[PersonId, CourseId]:
        """A new account, in the course; an invitation that names an e-mail address is for that one alone.

        `password` is a digest. `Conflict` where the address has an account; then the link works still.
        """
        invitation, now = self._use(connection, secret), self._clock.now()
        address = invitation.email or email
        person = insert_person(connection, name=name, email=address, password=password, now=now)
        oneself = Actor(kind=ActorKind.PERSON, id=person.id, name=person.name)
        put_member(connection, invitation.course_id, person.id, invitation.role, now=now, actor=oneself)
        return person.id, invitation.course_id

    @written
    def make_password_link(
        self, connection: Connection, person_id: PersonId, maker: Maker | None = None
    ) -> str:
        """The secret of a new link to set a password; earlier links of that person are deleted.

        Without a maker it is made by an admin of the platform. `Conflict` where only they may make it.
        """
        secret, now = secrets.token_urlsafe(32), self._clock.now()
        table = tables.password_links
        row = {"digest": digest_of(secret), "person_id": person_id, "expires_at": now + LASTS}
        row |= _columns(maker) if maker else {}
        if maker is not None and not may_reset(connection, maker, person_id, now):
            raise Conflict(Fault("person.admins_link"))
        connection.execute(delete(table).where(table.c.person_id == person_id))
        insert_expiring(connection, table, row, now)
        course_id = maker.course_id if maker else None
        note(connection, Event.PASSWORD_LINK, course_id=course_id, person_id=person_id)
        return secret

    def person_of(self, secret: str) -> PersonId:
        """Whose password a link sets; `NotFound` where it sets none, or none any more."""
        with reading(self._engine) as connection:
            return self._person_of(connection, secret)

    @written
    def set_password(self, connection: Connection, secret: str, digest: str) -> PersonId:
        """Set the password and delete the link; sessions with the old password end."""
        person_id, sessions = self._person_of(connection, secret), tables.console_sessions
        connection.execute(delete(sessions).where(sessions.c.person_id == person_id))
        put_password(connection, person_id, digest)
        return person_id

    def _person_of(self, connection: Connection, secret: str) -> PersonId:
        row, now = self._live(connection, tables.password_links, digest=digest_of(secret)), self._clock.now()
        person = None if row is None else _person(connection, row.person_id)
        if row is None or person is None or person.disabled:
            raise _gone()
        if row.course_id is not None and not may_reset(connection, _maker(row), row.person_id, now):
            raise _gone()
        return PersonId(row.person_id)

    def _read(self, connection: Connection, secret: str) -> Invitation:
        row = self._live(connection, tables.invitations, digest=digest_of(secret))
        if row is None or not may_invite(connection, _maker(row), self._clock.now()):
            raise _gone()
        return _invitation(row)

    def _use(self, connection: Connection, secret: str) -> Invitation:
        """The invitation, which is gone with the end of the transaction; of several at once, one has it."""
        invitation = self._read(connection, secret)
        if self._take(connection, tables.invitations, digest=invitation.id) is None:
            raise _gone()
        return invitation


def _columns(maker: Maker) -> dict[str, object]:
    return {"course_id": maker.course_id, "maker_id": maker.person_id, "key_id": maker.key_id}


def _maker(row: Row[Any]) -> Maker:
    return Maker(course_id=row.course_id, person_id=row.maker_id, key_id=row.key_id)


def _gone() -> NotFound:
    return NotFound(Fault("person.link_gone"))


def _invitation(row: Row[Any]) -> Invitation:
    return from_row(Invitation, row, id=row.digest)
