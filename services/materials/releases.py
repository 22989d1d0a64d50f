"""When documents are released: before that moment, their passages answer nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select, update

from services.courses.store import keep_changes, require_course
from services.materials.rows import all_pairs, hold_back
from services.store import tables
from services.store.outbox import Changes
from services.store.transactions import ClockedStore, reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId


class SqlReleases(ClockedStore):
    """The moments of release. A document waits for its own until `release_due` finds that it has come."""

    def set(self, course_id: CourseId, paths: Sequence[str], at: datetime | None) -> None:
        """Release documents at a moment, at once where it is None or past; `NotFound` where one is not there.

        All in one transaction, or none.
        """
        table = tables.documents

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            rows = []
            for path in dict.fromkeys(paths):
                query = select(table).filter_by(course_id=course_id, path=path)
                row = None if path.startswith("/") else connection.execute(query).one_or_none()
                if row is None:
                    raise NotFound(Fault("course.no_document", path=path))
                rows.append(row)
            _keep(connection, course_id, rows, at, waits=at is not None and at > self._clock.now())

        write(self._engine, action, patient=True)

    def release_due(self) -> int:
        """Release what waits for a moment that has come; returns how many documents it was."""
        table = tables.documents
        due = select(table).where(table.c.waits, table.c.release_at <= self._clock.now())
        with reading(self._engine) as connection:
            courses = connection.execute(select(due.subquery().c.course_id).distinct()).scalars().all()

        def action(course: str, connection: Connection) -> int:
            rows = connection.execute(due.where(table.c.course_id == course).with_for_update()).all()
            for row in rows:
                _keep(connection, CourseId(course), [row], row.release_at, waits=False)
            return len(rows)

        return sum(write(self._engine, partial(action, course), patient=True) for course in courses)


def _keep(
    connection: Connection, course_id: CourseId, rows: Iterable[Row[Any]], at: datetime | None, *, waits: bool
) -> None:
    changes = Changes()
    for row in rows:
        new = hold_back(all_pairs(row.pairs, row.held), row.switched_off, waits=waits)
        here = update(tables.documents).filter_by(course_id=course_id, path=row.path)
        connection.execute(here.values(release_at=at, **new))
        changes.add(row.path, row._asdict(), row._asdict() | new)
    keep_changes(connection, course_id, changes)
