"""The courses in the relational store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, delete, insert, select, update

from services.store import tables
from services.store.audit_log import Event, note
from services.store.course_rows import find_course, raise_revision, require_course, to_course, unknown_course
from services.store.outbox import note_changes
from services.store.rows import as_row
from services.store.transactions import SqlStore, reading_once, write
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import Course, CourseId


class SqlCourses(SqlStore):
    """The port `CourseStore`, and what operators and instructors change of a course."""

    def add(self, course: Course) -> None:
        """`Conflict` where the id is taken."""
        write(self._engine, lambda connection: insert_course(connection, course))

    def remove(self, course_id: CourseId) -> None:
        """Remove the course with everything it owns: documents, sessions, turns, feedback, questions."""

        def action(connection: Connection) -> None:
            if not connection.execute(delete(tables.courses).filter_by(id=course_id)).rowcount:
                raise unknown_course(course_id)
            raise_revision(connection, course_id)
            note(connection, Event.COURSE_REMOVED, course_id=course_id)

        write(self._engine, action)

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

    def _change(self, course_id: CourseId, event: Event = Event.SETTINGS, **values: object) -> None:
        def action(connection: Connection) -> None:
            change_course(connection, course_id, values)
            detail = ", ".join(values) if event is Event.SETTINGS else ""
            note(connection, event, course_id=course_id, detail=detail)

        write(self._engine, action)


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
