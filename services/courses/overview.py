"""Figures of all courses for the admins of the platform, and the first steps of a new course."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, func, or_, select

from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH
from services.people.store import waiting_by_course
from services.store import tables
from services.store.course_rows import to_course
from services.store.transactions import SqlStore, reading
from vta.types.courses import Course, CourseId


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
    """The first steps in their order."""

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
