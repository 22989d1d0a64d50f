"""Weeks of courses: parts of their material that open on a day, and the documents that wait for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row, insert, select, update

from services.documents.rows import all_pairs, hold_back
from services.facts.store import LONGEST_LINE, as_moment, later_date, read_date
from services.store import tables
from services.store.course_rows import hold_course, keep_changes
from services.store.outbox import Changes
from services.store.rows import as_row, from_row
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId

MOST = 200
"""Weeks of a course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """The documents whose path begins with `path`; "week-3" is no beginning of "week-30/a.md".

    It `opens` on a day ("2026-12-03"), or at a time of it ("2026-12-03T14:00"), of the course's time zone;
    `review` after it was moved to another term.
    """

    path: str
    name: str
    opens: str
    review: bool = False

    def holds(self, path: str) -> bool:
        after = path[len(self.path) :][:1]
        return path.startswith(self.path) and not (self.path[-1].isdigit() and after.isdigit())


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseWeeks:
    """The weeks of a course, the first to open first, and the time zone of their days."""

    zone: ZoneInfo
    weeks: tuple[Week, ...]

    def week_of(self, path: str) -> Week | None:
        """The week of a document; of several, the one with the longest path."""
        found = (each for each in self.weeks if each.holds(path))
        return max(found, key=lambda each: len(each.path), default=None)

    def opens_at(self, path: str, own: datetime | None) -> datetime | None:
        """The moment at which a document answers: the later of its `own` date and that of its week."""
        week = self.week_of(path)
        dates = (own, datetime.fromisoformat(week.opens).replace(tzinfo=self.zone) if week else None)
        return max((each.astimezone(self.zone) for each in dates if each), default=None)


def read_weeks(connection: Connection, course_id: CourseId) -> CourseWeeks:
    """The weeks of a course; none where none were stored."""
    facts = tables.course_facts.c
    zone = connection.execute(select(facts.time_zone).filter_by(course_id=course_id)).scalar_one_or_none()
    return CourseWeeks(zone=ZoneInfo(zone or "UTC"), weeks=stored_weeks(connection, course_id))


def stored_weeks(connection: Connection, course_id: CourseId) -> tuple[Week, ...]:
    """The weeks alone, the first to open first."""
    weeks = tables.course_weeks
    query = select(weeks).filter_by(course_id=course_id).order_by(weeks.c.opens, weeks.c.path)
    return tuple(from_row(Week, row) for row in connection.execute(query))


def insert_weeks(connection: Connection, course_id: CourseId, weeks: Iterable[Week]) -> None:
    """Store the weeks of a new course. `InvalidInput` as in `clean_week`."""
    for each in weeks:
        row = as_row(clean_week(each))
        connection.execute(insert(tables.course_weeks).values(course_id=course_id, **row))


def clean_week(given: Week) -> Week:
    """A week in its stored form. `InvalidInput` names the field that cannot be used."""
    path, name = given.path.strip().strip("/"), " ".join(given.name.split())
    for field, text in (("path", path), ("name", name)):
        if not 0 < len(text) <= LONGEST_LINE or "\0" in text:
            raise InvalidInput(Fault("week.length", name=field, most=LONGEST_LINE), field=field)
    opens = as_moment(given.opens)
    read_date(opens, "opens")
    return replace(given, path=path, name=name, opens=opens)


def move_week(week: Week, later: timedelta) -> Week:
    """A week of another term, which asks for a review."""
    return replace(week, opens=later_date(week.opens, later), review=True)


def unsettled(connection: Connection, course_id: CourseId, now: datetime) -> list[str]:
    """The files of a course that wait although they are due, or are open before their date."""
    weeks, table = read_weeks(connection, course_id), tables.documents.c
    query = select(table.path, table.release_at, table.waits).filter_by(course_id=course_id)
    rows = connection.execute(query.where(~table.path.startswith("/")))
    dates = ((row, weeks.opens_at(row.path, row.release_at)) for row in rows)
    return [row.path for row, opens_at in dates if row.waits != (opens_at is not None and opens_at > now)]


def settle(connection: Connection, course_id: CourseId, now: datetime) -> int:
    """Let each file wait for its date, and answer from then on; returns how many do so now."""
    hold_course(connection, course_id)  # so that no other process settles the same files
    paths, table = unsettled(connection, course_id, now), tables.documents
    query = select(table).filter_by(course_id=course_id).where(table.c.path.in_(paths))
    rows = connection.execute(query).all()
    new = [(r, hold_back(all_pairs(r.pairs, r.held), r.switched_off, waits=not r.waits)) for r in rows]
    set_columns(connection, course_id, new)
    return len(rows)


def set_columns(
    connection: Connection, course_id: CourseId, new: Iterable[tuple[Row[Any], dict[str, Any]]]
) -> None:
    """Update columns of documents, and note the changes of their pairs."""
    changes = Changes()
    for row, columns in new:
        here = update(tables.documents).filter_by(course_id=course_id, path=row.path)
        connection.execute(here.values(**columns))
        changes.add(row.path, row._asdict(), row._asdict() | columns)
    keep_changes(connection, course_id, changes)
