"""Removed documents of courses, stored for a while with their pairs and concepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select

from services.documents.weeks import settle
from services.store import tables
from services.store.audit_log import Event, names_of, note
from services.store.course_rows import keep_changes
from services.store.outbox import Changes
from services.store.rows import from_row
from services.store.transactions import ClockedStore, written_patiently
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId

KEPT = timedelta(days=30)
_COLUMNS = tuple(column.name for column in tables.documents.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedDocument:
    """A document that can be restored, and how many passages it had."""

    path: str
    pairs: int
    removed_at: datetime


class SqlRemovedDocuments(ClockedStore):
    """Removed documents by course and path; each is erased `KEPT` after its removal."""

    def documents(self, course_id: CourseId) -> tuple[RemovedDocument, ...]:
        """The restorable documents, the last removed first."""
        table = tables.removed_documents.c
        counted = func.json_array_length(table.pairs) + func.json_array_length(table.held)
        query = (
            select(table.path, table.removed_at, counted.label("pairs"))
            .where(table.course_id == course_id, table.removed_at > self._clock.now() - KEPT)
            .order_by(table.removed_at.desc(), table.path)
        )
        return tuple(from_row(RemovedDocument, row) for row in self._rows(query))

    @written_patiently
    def restore(self, connection: Connection, course_id: CourseId, paths: Sequence[str]) -> None:
        """Put removed documents back as they were, in one transaction; `NotFound` where one is erased."""
        table = tables.removed_documents
        changes = Changes()
        for path in dict.fromkeys(paths):
            query = select(table).filter_by(course_id=course_id, path=path)
            young = query.where(table.c.removed_at > self._clock.now() - KEPT)
            kept = connection.execute(young).mappings().one_or_none()
            if kept is None:
                raise NotFound(Fault("course.not_restorable", path=path))
            row = {name: kept[name] for name in _COLUMNS}
            connection.execute(insert(tables.documents).values(**row))
            forget_removed(connection, course_id, path)
            changes.add(path, None, row)
        settle(connection, course_id, self._clock.now())
        note(connection, Event.MATERIAL_RESTORED, course_id=course_id, detail=names_of(paths))
        keep_changes(connection, course_id, changes)

    def purge(self) -> int:
        """Erase documents that were removed longer ago than `KEPT`; returns their number."""
        table = tables.removed_documents
        return self._execute(delete(table).where(table.c.removed_at <= self._clock.now() - KEPT))


def keep_removed(connection: Connection, course_id: CourseId, path: str) -> None:
    """Copy a file to the removed documents; documents of the platform itself are not copied."""
    if path.startswith("/"):
        return
    given = tables.documents
    copied = select(*given.columns, func.now()).filter_by(course_id=course_id, path=path)
    forget_removed(connection, course_id, path)
    connection.execute(insert(tables.removed_documents).from_select([*_COLUMNS, "removed_at"], copied))


def removed_states(connection: Connection, course_id: CourseId) -> Mapping[str, Mapping[str, Any]]:
    """Switched-off passages and release dates of the removed documents of a course, by path."""
    table = tables.removed_documents.c
    query = select(table.path, table.switched_off, table.release_at, table.waits)
    return {row.path: row._asdict() for row in connection.execute(query.filter_by(course_id=course_id))}


def forget_removed(connection: Connection, course_id: CourseId, path: str) -> None:
    """A document that is there again cannot be restored."""
    connection.execute(delete(tables.removed_documents).filter_by(course_id=course_id, path=path))
