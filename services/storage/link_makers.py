"""Who makes links that let people in, and whether such a link may be used: judged whenever one is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from services.storage import tables
from services.storage.memberships import CourseRole
from services.storage.people import PersonId, PlatformRole
from vta.types import CourseId, KeyId, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Maker:
    """Who makes a link in the console of a course: one of its people or the bearer of one of its keys."""

    course_id: CourseId
    person_id: PersonId | None = None
    key_id: KeyId | None = None


def may_invite(connection: Connection, maker: Maker) -> bool:
    """Whether a maker may let people into the course now: as its instructor or an admin, or by a key of it.

    Nobody may while it is archived.
    """
    courses, keys = tables.courses, tables.course_keys
    open_course = select(courses.c.id).where(courses.c.id == maker.course_id, courses.c.archived.is_(False))
    if connection.execute(open_course).first() is None:
        return False
    if maker.person_id is not None:
        person = _person(connection, maker.person_id)
        return person is not None and not person.disabled and _teaches(connection, person, maker.course_id)
    key = select(keys.c.id).where(
        keys.c.id == maker.key_id,
        keys.c.course_id == maker.course_id,
        keys.c.role == Role.INSTRUCTOR.value,
        keys.c.revoked_at.is_(None),
    )
    return connection.execute(key).first() is not None


def may_reset(connection: Connection, maker: Maker, person_id: PersonId) -> bool:
    """Whether a maker may make a link now by which someone in the course sets a password.

    Such a link opens the account, so it must not open more than its maker may do: no rights on the platform,
    and no course of which they are no instructor.
    """
    person = _person(connection, person_id)
    theirs = _courses(connection, person_id)
    if person is None or maker.course_id not in theirs or not may_invite(connection, maker):
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
    query = select(tables.people).where(tables.people.c.id == person_id)
    return connection.execute(query).one_or_none()


def _courses(connection: Connection, person_id: PersonId, role: CourseRole | None = None) -> set[CourseId]:
    """The courses that someone was let into, in any role or in one."""
    table = tables.memberships
    query = select(table.c.course_id).where(table.c.person_id == person_id)
    if role is not None:
        query = query.where(table.c.role == role.value)
    return {CourseId(course) for course in connection.execute(query).scalars()}
