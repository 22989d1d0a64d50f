"""Who teaches which course, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from services.storage import tables
from services.storage.courses import to_course
from services.storage.people import Person, PersonId, PlatformRole, to_person
from services.storage.transactions import reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.ports import Clock
from vta.types import Course, CourseId


class CourseRole(StrEnum):
    """What someone is in a course."""

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


class SqlMemberships:
    """Keeps who is in which course. Every check reads the store, so whoever is removed is out at once."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def courses_of(
        self, person_id: PersonId, role: PlatformRole, *, counted: bool = False
    ) -> tuple[TaughtCourse, ...]:
        """The courses of a person by name, archived ones last; an admin is an instructor of all of them.

        `counted` counts the questions that wait.
        """
        courses, mine = tables.courses, tables.memberships
        is_mine = (mine.c.course_id == courses.c.id) & (mine.c.person_id == person_id)
        is_admin = role is PlatformRole.ADMIN
        query = (
            select(courses, mine.c.role)
            .join(mine, is_mine, isouter=is_admin)
            .order_by(courses.c.archived, courses.c.name, courses.c.id)
        )
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
            waiting = _waiting(connection) if counted else {}
        return tuple(
            TaughtCourse(
                course=to_course(row),
                role=CourseRole.INSTRUCTOR if is_admin else CourseRole(row.role),
                waiting=waiting.get(row.id, 0),
            )
            for row in rows
        )

    def members(self, course_id: CourseId) -> tuple[Member, ...]:
        """Who is in a course, instructors first, by name."""
        people, mine = tables.people, tables.memberships
        query = (
            select(people, mine.c.role.label("course_role"), mine.c.created_at.label("since"))
            .join(mine, mine.c.person_id == people.c.id)
            .where(mine.c.course_id == course_id)
            .order_by(mine.c.role, people.c.name, people.c.id)
        )
        with reading(self._engine) as connection:
            return tuple(
                Member(person=to_person(row), role=CourseRole(row.course_role), since=row.since)
                for row in connection.execute(query)
            )

    def put(self, course_id: CourseId, person_id: PersonId, role: CourseRole) -> None:
        """Let someone be this in a course, whatever they were there."""
        now = self._clock.now()
        write(self._engine, lambda connection: put_member(connection, course_id, person_id, role, now=now))

    def change(self, course_id: CourseId, person_id: PersonId, role: CourseRole) -> None:
        """Give a member another role; `NotFound` for someone who is none."""
        table = tables.memberships
        query = update(table).where(table.c.course_id == course_id, table.c.person_id == person_id)
        if not write(
            self._engine, lambda connection: connection.execute(query.values(role=role.value)).rowcount
        ):
            raise _no_member(course_id, person_id)

    def remove(self, course_id: CourseId, person_id: PersonId) -> None:
        """`NotFound` for someone who is not in the course."""
        table = tables.memberships
        query = delete(table).where(table.c.course_id == course_id, table.c.person_id == person_id)
        if not write(self._engine, lambda connection: connection.execute(query).rowcount):
            raise _no_member(course_id, person_id)


def put_member(
    connection: Connection, course_id: CourseId, person_id: PersonId, role: CourseRole, *, now: datetime
) -> None:
    """What `SqlMemberships.put` does, as a part of the transaction of a caller."""
    table = tables.memberships
    same = (table.c.course_id == course_id, table.c.person_id == person_id)
    if not connection.execute(update(table).where(*same).values(role=role.value)).rowcount:
        row = {"course_id": course_id, "person_id": person_id, "role": role.value, "created_at": now}
        connection.execute(insert(table).values(row))


def _waiting(connection: Connection) -> dict[str, int]:
    """How many questions wait for a TA, by course."""
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


def _no_member(course_id: CourseId, person_id: PersonId) -> NotFound:
    return NotFound(Fault("person.no_member", person=person_id, course=course_id))
