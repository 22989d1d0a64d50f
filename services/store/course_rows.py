"""The rows of courses, and the revision of the store: it rises with every change to courses or documents."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from services.store import tables
from services.store.outbox import Changes, note_changes
from services.store.rows import from_row
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import Course, CourseId

_COURSE = select(tables.courses).where(tables.courses.c.id == bindparam("course"))


def find_course(connection: Connection, course_id: CourseId) -> Course | None:
    """The course, or None."""
    row = connection.execute(_COURSE, {"course": course_id}).one_or_none()
    return None if row is None else to_course(row)


def require_course(connection: Connection, course_id: CourseId) -> Course:
    """The course, or `NotFound`."""
    found = find_course(connection, course_id)
    if found is None:
        raise unknown_course(course_id)
    return found


def unknown_course(course_id: CourseId) -> NotFound:
    """The error for a course that is not there."""
    return NotFound(Fault("course.unknown", course=course_id))


def raise_revision(connection: Connection) -> int:
    """Count a change to courses or documents; writers of them follow one another from here on."""
    state = tables.store_state.c
    connection.execute(update(tables.store_state).values(revision=state.revision + 1))
    return read_revision(connection)


def keep_changes(connection: Connection, course_id: CourseId, changes: Changes) -> int:
    """Count changes in the documents of a course, if any, and write them to the outbox."""
    if not changes:
        return read_revision(connection)
    revision = raise_revision(connection)
    if changes.by_path is not None:
        note_changes(connection, revision, course_id, changes.by_path)
    return revision


def read_revision(connection: Connection) -> int:
    """The number of changes so far."""
    return int(connection.execute(select(tables.store_state.c.revision)).scalar_one())


def to_course(row: Row[Any]) -> Course:
    """The course in a row of the table."""
    return from_row(Course, row)
