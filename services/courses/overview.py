"""All courses of the platform as its admins look at them: who is in them, what waits, what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select

from services.people.store import waiting_by_course
from services.store import tables
from services.store.course_rows import to_course
from services.store.transactions import SqlStore, reading
from vta.types.courses import Course


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
