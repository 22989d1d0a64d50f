"""The courses in the relational store, their figures for admins, and the first steps of a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, exists, func, insert, or_, select, update

from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH
from services.people.store import waiting_by_course
from services.store import tables
from services.store.audit_log import Event, note
from services.store.course_rows import find_course, raise_revision, require_course, to_course, unknown_course
from services.store.outbox import note_changes
from services.store.rows import as_row
from services.store.transactions import SqlStore, reading, reading_once, write, written
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import Course, CourseId


class SqlCourses(SqlStore):
    """The port `CourseStore`, and what operators and instructors change of a course."""

    def add(self, course: Course) -> None:
        """`Conflict` where the id is taken."""
        write(self._engine, lambda connection: insert_course(connection, course))

    @written
    def remove(self, connection: Connection, course_id: CourseId) -> None:
        """Remove the course with everything it owns: documents, sessions, turns, feedback, questions."""
        if not connection.execute(delete(tables.courses).filter_by(id=course_id)).rowcount:
            raise unknown_course(course_id)
        raise_revision(connection, course_id)
        note(connection, Event.COURSE_REMOVED, course_id=course_id)

    def course(self, course_id: CourseId) -> Course:
        with reading_once(self._engine) as connection:
            return require_course(connection, course_id)

    def courses(self) -> tuple[Course, ...]:
        return tuple(map(to_course, self._rows(select(tables.courses).order_by("id"))))

    def name_platform_graph(self, course_id: CourseId, *, is_platform_graph: bool) -> None:
        """Let the concepts of a course be the platform's own, or only its own; `NotFound` for no course."""
        self._change(course_id, is_platform_graph=is_platform_graph)

    def edit(self, course_id: CourseId, *, name: str, domains: Sequence[str]) -> None:
        """Give a course another name and other domains; `NotFound` for no course."""
        self._change(course_id, name=name, domains=list(domains))

    def set_archived(self, course_id: CourseId, archived: bool) -> None:
        """Close a course for students and for changes, or open it again; `NotFound` for no course."""
        event = Event.COURSE_ARCHIVED if archived else Event.COURSE_OPENED
        self._change(course_id, event, archived=archived)

    @written
    def _change(
        self, connection: Connection, /, course_id: CourseId, event: Event = Event.SETTINGS, **values: object
    ) -> None:
        change_course(connection, course_id, values)
        detail = ", ".join(values) if event is Event.SETTINGS else ""
        note(connection, event, course_id=course_id, detail=detail)


def change_course(connection: Connection, course_id: CourseId, values: Mapping[str, object]) -> None:
    """Change columns of a course and raise the revision, by which the readers of its graph learn of it."""
    if not connection.execute(update(tables.courses).filter_by(id=course_id).values(**values)).rowcount:
        raise unknown_course(course_id)
    note_changes(connection, raise_revision(connection, course_id), course_id, {})


def insert_course(connection: Connection, course: Course, event: Event = Event.COURSE_MADE) -> None:
    """`SqlCourses.add` as part of the caller's transaction; `event` goes to the audit log."""
    if find_course(connection, course.id) is not None:
        raise Conflict(Fault("course.exists", course=course.id))
    revision = raise_revision(connection, course.id)
    connection.execute(insert(tables.courses).values(as_row(course) | {"revision": revision}))
    note_changes(connection, revision, course.id, {})
    note(connection, event, course_id=course.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseOverview:
    """A course with how many people teach it, what waits for a TA, and when it was last asked."""

    course: Course
    people: int
    waiting: int
    last_asked_at: datetime | None


class SqlCourseOverviews(SqlStore):
    """Reads all courses with a few figures of each."""

    def find(self, sought: str, *, offset: int, limit: int) -> tuple[int, tuple[CourseOverview, ...]]:
        """The number of courses whose id or name contains a text, and a page of them, archived ones last."""
        courses, mine, facts = tables.courses, tables.memberships, tables.turn_facts
        holds = [each.icontains(sought, autoescape=True) for each in (courses.c.name, courses.c.id)]
        people = select(func.count()).where(mine.c.course_id == courses.c.id).scalar_subquery()
        asked = select(func.max(facts.c.asked_at)).where(facts.c.course_id == courses.c.id).scalar_subquery()
        query = (
            select(courses, people.label("people"), asked.label("last_asked_at"))
            .where(or_(*holds))
            .order_by(courses.c.archived, courses.c.name, courses.c.id)
        )
        with reading(self._engine) as connection:
            total = connection.scalar(select(func.count()).select_from(courses).where(or_(*holds))) or 0
            rows = connection.execute(query.offset(offset).limit(limit)).all()
            waiting = waiting_by_course(connection)
        return total, tuple(
            CourseOverview(
                course=to_course(row),
                people=row.people,
                waiting=waiting.get(row.id, 0),
                last_asked_at=row.last_asked_at,
            )
            for row in rows
        )


class FirstStep(StrEnum):
    MATERIAL = "material"
    FAQ = "faq"
    CONCEPTS = "concepts"
    ASKED = "asked"
    PLACED = "placed"
    INVITED = "invited"


class SqlFirstSteps(SqlStore):
    """The first steps of each course."""

    def done(self, course_id: CourseId) -> dict[FirstStep, bool]:
        """Whether each step is done, in one query.

        A course is placed once it is embedded or opened by LTI, and invited with a second member.
        """

        def some(table: Table, *where: ColumnElement[bool]) -> ColumnElement[bool]:
            return exists().where(table.c.course_id == course_id, *where)

        path, origins = tables.documents.c.path, tables.course_embeddings.c.origins
        members = select(func.count()).select_from(tables.memberships).filter_by(course_id=course_id)
        steps = {
            FirstStep.MATERIAL: some(tables.documents, ~path.startswith("/")),
            FirstStep.FAQ: some(tables.faq_entries),
            FirstStep.CONCEPTS: some(tables.documents, path.in_((BUILT_GRAPH, IMPORTED_GRAPH))),
            FirstStep.ASKED: some(tables.sessions),
            FirstStep.PLACED: or_(
                some(tables.lti_contexts),
                some(tables.course_embeddings, func.json_array_length(origins) > 0),
            ),
            FirstStep.INVITED: or_(some(tables.invitations), members.scalar_subquery() > 1),
        }
        columns: list[Any] = [done.label(name) for name, done in steps.items()]
        (row,) = self._rows(select(*columns))
        return {name: bool(row._mapping[name]) for name in steps}
