"""The rows of courses, and their revisions.

The revision of the store rises with every change to courses or documents, that of a course with its own. It
begins at the store's, so that a course that is made again has none of those that it had before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, outerjoin, select, true, update

from services.store import tables
from services.store.outbox import Changes, note_changes
from services.store.rows import from_row
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import Course, CourseId

_COURSE = select(tables.courses).where(tables.courses.c.id == bindparam("course"))


def find_course(connection: Connection, course_id: CourseId) -> Course | None:
    row = connection.execute(_COURSE, {"course": course_id}).one_or_none()
    return None if row is None else to_course(row)


def require_course(connection: Connection, course_id: CourseId) -> Course:
    """The course, or `NotFound`."""
    found = find_course(connection, course_id)
    if found is None:
        raise unknown_course(course_id)
    return found


def hold_course(connection: Connection, course_id: CourseId) -> Course:
    """The course, whose row is locked until the transaction ends; `NotFound` for an unknown one.

    Read the rest after it: a join that waits for a lock reads its other tables as they were before.
    """
    connection.execute(select(tables.courses.c.id).filter_by(id=course_id).with_for_update())
    return require_course(connection, course_id)


def unknown_course(course_id: CourseId) -> NotFound:
    return NotFound(Fault("course.unknown", course=course_id))


def raise_revision(connection: Connection, course_id: CourseId | None) -> int:
    """Count a change to a course or its documents; returns the store's revision.

    Writers of them follow one another from here on. Without a course, the store alone has changed.
    """
    state, course = tables.store_state.c, tables.courses
    connection.execute(update(course).filter_by(id=course_id).values(revision=course.c.revision + 1))
    connection.execute(update(tables.store_state).values(revision=state.revision + 1))
    return read_revision(connection)


def keep_changes(connection: Connection, course_id: CourseId, changes: Changes) -> int:
    """Count changes in the documents of a course, if any, and write them to the outbox."""
    if not changes:
        return read_revision(connection)
    revision = raise_revision(connection, course_id)
    if changes.by_path is not None:
        note_changes(connection, revision, course_id, changes.by_path)
    return revision


def read_revision(connection: Connection) -> int:
    """The number of changes so far."""
    return int(connection.execute(select(tables.store_state.c.revision)).scalar_one())


def course_revision(connection: Connection, course_id: CourseId) -> int | None:
    query = select(tables.courses.c.revision).filter_by(id=course_id)
    return connection.execute(query).scalar_one_or_none()


def read_revisions(
    connection: Connection, course: Course | None = None
) -> tuple[int, Mapping[CourseId, int]]:
    """The revision of the store and that of each course, or of a course and those that lend to it."""
    if course is None:
        rows = connection.execute(_ALL_REVISIONS).all()
    else:
        query = _LENT_REVISIONS if course.takes_concepts else _OWN_REVISIONS
        rows = connection.execute(query, {"course": course.id}).all()
    return rows[0].store, {CourseId(row.id): row.revision for row in rows if row.id is not None}


def _select_revisions(seen: ColumnElement[bool]) -> Select[Any]:
    state, courses = tables.store_state, tables.courses
    query = select(state.c.revision.label("store"), courses.c.id, courses.c.revision)
    return query.select_from(outerjoin(state, courses, seen))


_OWN = (tables.courses.c.id == bindparam("course")) | tables.courses.c.is_platform_graph
_ALL_REVISIONS, _OWN_REVISIONS = _select_revisions(true()), _select_revisions(_OWN)
_LENT_REVISIONS = _select_revisions(_OWN | tables.courses.c.shares_concepts)


def to_course(row: Row[Any]) -> Course:
    return from_row(Course, row)
