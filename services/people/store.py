"""The people who teach: their accounts on this platform, apart from what they may do in which course."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType

from sqlalchemy import Connection, Delete, Engine, Row, Update, delete, func, insert, or_, select, update

from services.people.key_store import revoke_lost_keys
from services.store import tables
from services.store.audit_log import Actor, Event, note
from services.store.course_rows import to_course
from services.store.rows import from_row
from services.store.transactions import ClockedStore, reading, write, written
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.types.courses import Course, CourseId

PersonId = NewType("PersonId", str)
LONGEST_NAME = 80
LONGEST_EMAIL = 254
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


class PlatformRole(StrEnum):
    """The rights of a person outside their courses."""

    MEMBER = "member"
    CREATOR = "creator"
    """May make courses."""
    ADMIN = "admin"
    """May make courses and remove them, and is an instructor of every course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account; `email` is its log-in name. Without a password it is opened by the school, or not yet."""

    id: PersonId
    email: str
    name: str
    role: PlatformRole
    created_at: datetime
    last_seen_at: datetime | None = None
    has_password: bool = False
    is_bound: bool = False
    """True where a school account opens it."""
    disabled: bool = False

    @property
    def may_make_courses(self) -> bool:
        return self.role is not PlatformRole.MEMBER


class SqlPeople(ClockedStore):
    """Stores accounts, with digests of passwords."""

    @written
    def add(
        self, connection: Connection, *, name: str, email: str, role: PlatformRole = PlatformRole.MEMBER
    ) -> Person:
        """A new account, without a password. `Conflict` where the e-mail address has one."""
        return insert_person(connection, name=name, email=email, role=role, now=self._clock.now())

    def person(self, person_id: PersonId) -> Person:
        """`NotFound` for an unknown one."""
        found = self._one(id=person_id)
        if found is None:
            raise unknown_person(person_id)
        return to_person(found)

    def find(self, email: str) -> Person | None:
        """The account of an e-mail address, however it is spelt."""
        found = self._one(email=email.strip().casefold())
        return None if found is None else to_person(found)

    def with_password(self, email: str) -> tuple[Person, str | None] | None:
        """The account of an e-mail address and the digest of its password; None for no account in use."""
        found = self._one(email=email.strip().casefold())
        return None if found is None or found.disabled else (to_person(found), found.password)

    def bound_to(self, issuer: str, subject: str) -> Person | None:
        """The account that is bound to one of the school's."""
        found = self._one(issuer=issuer, subject=subject)
        return None if found is None else to_person(found)

    def people(self) -> tuple[Person, ...]:
        """All accounts, by e-mail address."""
        return tuple(map(to_person, self._rows(select(tables.people).order_by("email"))))

    @written
    def rename(self, connection: Connection, person_id: PersonId, name: str) -> None:
        """The questions that they take care of say the new name too."""
        people, asked, name = tables.people, tables.waiting_questions, clean_name(name)
        if not connection.execute(update(people).filter_by(id=person_id).values(name=name)).rowcount:
            raise unknown_person(person_id)
        connection.execute(update(asked).filter_by(assignee_id=person_id).values(assignee=name))
        note(connection, Event.PERSON_RENAMED, person_id=person_id)

    def set_role(self, person_id: PersonId, role: PlatformRole) -> None:
        self._change(person_id, Event.PERSON_ROLE, detail=role.value, role=role.value)

    def set_disabled(self, person_id: PersonId, disabled: bool) -> None:
        """Disable an account, which ends its sessions, or enable it."""
        event = Event.PERSON_DISABLED if disabled else Event.PERSON_ENABLED
        self._change(person_id, event, disabled=disabled)

    def set_password(self, person_id: PersonId, digest: str) -> None:
        write(self._engine, lambda connection: put_password(connection, person_id, digest))

    def bind(self, person_id: PersonId, issuer: str, subject: str) -> None:
        """Bind an account to a school account, and remove its password."""
        bound = {"issuer": issuer, "subject": subject}
        write(self._engine, lambda connection: put_password(connection, person_id, None, **bound))

    def note_seen(self, person_id: PersonId) -> None:
        """They logged in just now."""
        self._execute(update(tables.people).filter_by(id=person_id).values(last_seen_at=self._clock.now()))

    @written
    def remove(self, connection: Connection, person_id: PersonId) -> None:
        """Delete an account with its memberships and sessions; its texts keep its name.

        The keys that it made are revoked.
        """
        note(connection, Event.PERSON_REMOVED, person_id=person_id)  # while they have a name
        if not connection.execute(delete(tables.people).filter_by(id=person_id)).rowcount:
            raise unknown_person(person_id)
        revoke_lost_keys(connection, person_id, self._clock.now())

    def _one(self, **key: str) -> Row[Any] | None:
        return self._row(select(tables.people).filter_by(**key))

    def _change(self, person_id: PersonId, event: Event, *, detail: str = "", **values: object) -> None:
        query = update(tables.people).filter_by(id=person_id).values(**values)
        said = {"person_id": person_id, "detail": detail}
        _change_rights(self._engine, query, event, unknown_person(person_id), self._clock.now(), **said)


def insert_person(
    connection: Connection,
    *,
    name: str,
    email: str,
    role: PlatformRole = PlatformRole.MEMBER,
    password: str | None = None,
    now: datetime,
) -> Person:
    """`SqlPeople.add` in a caller's transaction."""
    email = clean_email(email)
    row = {
        "id": secrets.token_hex(8),
        "email": email,
        "name": clean_name(name),
        "role": role.value,
        "password": password,
        "created_at": now,
    }
    found = select(tables.people).filter_by(email=email)
    if connection.execute(found).first() is not None:
        raise Conflict(Fault("person.exists", email=email))
    connection.execute(insert(tables.people).values(row))
    note(connection, Event.PERSON_ADDED, person_id=str(row["id"]), detail=role.value)
    return to_person(connection.execute(found).one())


def put_password(connection: Connection, person_id: PersonId, digest: str | None, **values: str) -> None:
    """Change a password as a part of the transaction of a caller; `values` change with it.

    Links to set a password that were made for this person, or by them, open nothing any more.
    """
    people, links = tables.people, tables.password_links
    connection.execute(
        delete(links).where(or_(links.c.person_id == person_id, links.c.maker_id == person_id))
    )
    new = update(people).filter_by(id=person_id).values(password=digest, **values)
    if not connection.execute(new).rowcount:
        raise unknown_person(person_id)
    note(connection, Event.PASSWORD_SET if digest else Event.SCHOOL_BOUND, person_id=person_id)


def clean_name(text: str) -> str:
    """A name on one line; `InvalidInput` for none and for one that is too long."""
    name = " ".join(text.split())
    if not 0 < len(name) <= LONGEST_NAME:
        raise InvalidInput(Fault("person.name", most=LONGEST_NAME), field="name")
    return name


def clean_email(text: str) -> str:
    """An e-mail address in small letters; `InvalidInput` for anything else."""
    email = text.strip().casefold()
    if len(email) > LONGEST_EMAIL or not _EMAIL.fullmatch(email):
        raise InvalidInput(Fault("person.email"), field="email")
    return email


def unknown_person(person: str) -> NotFound:
    """The error for an account that is not there."""
    return NotFound(Fault("person.unknown", person=person))


def to_person(row: Row[Any]) -> Person:
    return from_row(Person, row, has_password=row.password is not None, is_bound=row.subject is not None)


class CourseRole(StrEnum):
    INSTRUCTOR = "instructor"
    TA = "ta"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Someone in a course, and since when."""

    person: Person
    role: CourseRole
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtCourse:
    """A course of someone's, their role there, and how many of its questions wait for a TA."""

    course: Course
    role: CourseRole
    waiting: int = 0


class SqlMemberships(ClockedStore):
    """Stores the members of courses. Every check reads the store, so a removed member is out at once."""

    def courses_of(
        self, person_id: PersonId, role: PlatformRole, *, counted: bool = False
    ) -> tuple[TaughtCourse, ...]:
        """The courses of a person by name, archived ones last; an admin is an instructor of all of them.

        `counted` counts the questions that wait.
        """
        courses, mine = tables.courses, tables.memberships
        is_mine = (mine.c.course_id == courses.c.id) & (mine.c.person_id == person_id)
        is_admin = role is PlatformRole.ADMIN
        query = select(courses, mine.c.role).join(mine, is_mine, isouter=is_admin)
        with reading(self._engine) as connection:
            rows = sorted(
                connection.execute(query), key=lambda row: (row.archived, _by_number(row.name), row.id)
            )
            waiting = waiting_by_course(connection) if counted else {}
        return tuple(
            TaughtCourse(
                course=to_course(row),
                role=CourseRole.INSTRUCTOR if is_admin else CourseRole(row.role),
                waiting=waiting.get(row.id, 0),
            )
            for row in rows
        )

    def members(self, course_id: CourseId) -> tuple[Member, ...]:
        """The members of a course, instructors first, by name."""
        people, mine = tables.people, tables.memberships
        query = (
            select(people, mine.c.role.label("course_role"), mine.c.created_at.label("since"))
            .join(mine, mine.c.person_id == people.c.id)
            .where(mine.c.course_id == course_id)
            .order_by(mine.c.role, people.c.name, people.c.id)
        )
        return tuple(
            Member(person=to_person(row), role=CourseRole(row.course_role), since=row.since)
            for row in self._rows(query)
        )

    def put(self, course_id: CourseId, person_id: PersonId, role: CourseRole) -> None:
        """Let someone be this in a course, whatever they were there."""
        now = self._clock.now()
        write(self._engine, lambda connection: put_member(connection, course_id, person_id, role, now=now))

    def change(self, course_id: CourseId, person_id: PersonId, role: CourseRole) -> None:
        """Give a member another role; `NotFound` for someone who is none."""
        query = update(tables.memberships).filter_by(course_id=course_id, person_id=person_id)
        said = {"course_id": course_id, "person_id": person_id, "detail": role.value}
        self._change(query.values(role=role.value), Event.MEMBER_PUT, **said)

    def remove(self, course_id: CourseId, person_id: PersonId) -> None:
        """`NotFound` for someone who is not in the course. Their keys of the course are revoked."""
        both = {"course_id": course_id, "person_id": person_id}
        self._change(delete(tables.memberships).filter_by(**both), Event.MEMBER_REMOVED, **both)

    def _change(self, statement: Update | Delete, event: Event, **said: Any) -> None:
        fault = Fault("person.no_member", person=said["person_id"], course=said["course_id"])
        _change_rights(self._engine, statement, event, NotFound(fault), self._clock.now(), **said)


def _change_rights(
    engine: Engine, statement: Update | Delete, event: Event, missing: NotFound, now: datetime, **said: Any
) -> None:
    """Change a person's rights, note it, and revoke the keys that they lose; `missing` where no row is."""

    def action(connection: Connection) -> None:
        if not connection.execute(statement).rowcount:
            raise missing
        note(connection, event, **said)
        revoke_lost_keys(connection, said["person_id"], now)

    write(engine, action)


def put_member(
    connection: Connection,
    course_id: CourseId,
    person_id: PersonId,
    role: CourseRole,
    *,
    now: datetime,
    actor: Actor | None = None,
) -> None:
    """`SqlMemberships.put` in a caller's transaction."""
    table = tables.memberships
    same = (table.c.course_id == course_id, table.c.person_id == person_id)
    if not connection.execute(update(table).where(*same).values(role=role.value)).rowcount:
        row = {"course_id": course_id, "person_id": person_id, "role": role.value, "created_at": now}
        connection.execute(insert(table).values(row))
    note(
        connection,
        Event.MEMBER_PUT,
        course_id=course_id,
        person_id=person_id,
        detail=role.value,
        actor=actor,
    )
    revoke_lost_keys(connection, person_id, now)


def waiting_by_course(connection: Connection) -> dict[str, int]:
    """The number of questions that wait for a TA, by course."""
    asked, turns, sessions = tables.waiting_questions, tables.turns, tables.sessions
    query = (
        select(sessions.c.course_id, func.count())
        .select_from(asked)
        .join(turns, turns.c.id == asked.c.turn_id)
        .join(sessions, sessions.c.id == turns.c.session_id)
        .where(asked.c.state == "waiting")
        .group_by(sessions.c.course_id)
    )
    return {str(course): int(count) for course, count in connection.execute(query)}


def _by_number(name: str) -> list[str | int]:
    """A sort key by which "Course 2" precedes "Course 10"."""
    parts = re.split(r"(\d+)", name.casefold())
    return [int(part) if number % 2 else part for number, part in enumerate(parts)]
