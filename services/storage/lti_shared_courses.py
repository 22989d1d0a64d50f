"""Courses that a platform may show its students from any of its own courses, as an administrator said."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select

from services.storage import tables
from services.storage.courses import find_course, unknown_course
from services.storage.lti_platforms import PlatformId, require_platform
from services.storage.tables import lti_shared_courses as table
from services.storage.transactions import reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.types import CourseId


class SqlLtiSharedCourses:
    """Shares courses with platforms. A shared course is open to students, its console is not."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def share(self, platform_id: PlatformId, course_id: CourseId) -> None:
        """From now on links of the platform may lead to the course; `NotFound` where either is unknown."""
        row = {"platform_id": platform_id, "course_id": course_id}

        def action(connection: Connection) -> None:
            require_platform(connection, platform_id)
            if find_course(connection, course_id) is None:
                raise unknown_course(course_id)
            connection.execute(delete(table).where(*_same(platform_id, course_id)))
            connection.execute(insert(table).values(row))

        write(self._engine, action)

    def unshare(self, platform_id: PlatformId, course_id: CourseId) -> None:
        """Share it no more, and log out whom the platform sent there; `NotFound` where it was not shared."""
        visits, contexts = tables.learner_visits, tables.lti_contexts

        def action(connection: Connection) -> None:
            if not connection.execute(delete(table).where(*_same(platform_id, course_id))).rowcount:
                raise NotFound(Fault("lti.not_shared", course=course_id))
            both = (contexts.c.platform_id == platform_id, contexts.c.course_id == course_id)
            if connection.execute(select(contexts.c.context_id).where(*both)).first() is None:
                of_both = (visits.c.platform_id == platform_id, visits.c.course_id == course_id)
                connection.execute(delete(visits).where(*of_both))

        write(self._engine, action)

    def shared(self, platform_id: PlatformId) -> tuple[CourseId, ...]:
        """The courses that are shared with a platform, by id."""
        query = select(table.c.course_id).where(table.c.platform_id == platform_id)
        with reading(self._engine) as connection:
            found = connection.execute(query.order_by(table.c.course_id)).scalars()
            return tuple(map(CourseId, found))


def _same(platform_id: PlatformId, course_id: CourseId) -> tuple[ColumnElement[bool], ...]:
    return (table.c.platform_id == platform_id, table.c.course_id == course_id)
