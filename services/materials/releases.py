"""Release dates of documents, before which their passages answer nobody."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, TypeAdapter
from sqlalchemy import Connection, Row, select, update

from services.documents.rows import all_pairs, hold_back
from services.materials.passages import find_document
from services.store import tables
from services.store.audit_log import Event, names_of, note
from services.store.course_rows import keep_changes, require_course
from services.store.outbox import Changes
from services.store.transactions import ClockedStore, write
from vta.types.courses import CourseId

Moment = Annotated[
    AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC))
]
a_moment = TypeAdapter[datetime](Moment)
"""Checks a moment of a form or a file, or one that was moved, as those of the API are."""


class SqlReleases(ClockedStore):
    """Release dates. A document waits until `release_due` finds its date past."""

    def set(self, course_id: CourseId, paths: Sequence[str], at: datetime | None) -> None:
        """Release documents at a moment, at once where it is None or past; `NotFound` where one is not there.

        All in one transaction, or none.
        """

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            rows = [find_document(connection, course_id, path) for path in dict.fromkeys(paths)]
            waits = at is not None and at > self._clock.now()
            _keep(connection, course_id, rows, waits=waits, release_at=at)
            detail = f"{at.isoformat() if waits and at else 'now'}: {names_of([row.path for row in rows])}"
            note(connection, Event.MATERIAL_TIMED, course_id=course_id, detail=detail)

        write(self._engine, action, patient=True)

    def release_due(self) -> int:
        """Release the documents that are due; returns their number."""
        table = tables.documents
        is_due = table.c.waits & (table.c.release_at <= self._clock.now())
        courses = [row.course_id for row in self._rows(select(table.c.course_id).where(is_due).distinct())]

        def action(course: str, connection: Connection) -> int:
            due = select(table).where(is_due, table.c.course_id == course)
            rows = connection.execute(due.with_for_update()).all()
            _keep(connection, CourseId(course), rows, waits=False)
            return len(rows)

        return sum(write(self._engine, partial(action, course), patient=True) for course in courses)


def _keep(
    connection: Connection, course_id: CourseId, rows: Iterable[Row[Any]], *, waits: bool, **more: object
) -> None:
    changes = Changes()
    for row in rows:
        new = more | hold_back(all_pairs(row.pairs, row.held), row.switched_off, waits=waits)
        here = update(tables.documents).filter_by(course_id=course_id, path=row.path)
        connection.execute(here.values(**new))
        changes.add(row.path, row._asdict(), row._asdict() | new)
    keep_changes(connection, course_id, changes)
