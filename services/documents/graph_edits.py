"""The edits of the concept graphs in the relational store. An undone one stays, marked, with its number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, func, insert, select, update

from services.store import tables
from services.store.course_rows import raise_revision, require_course
from services.store.outbox import note_changes
from services.store.rows import from_row
from services.store.transactions import ClockedStore, reading, written
from vta.changes import DocumentChange
from vta.errors import NotFound, UpstreamFailed
from vta.faults import Fault
from vta.types.concepts import GraphEdit, RecordedEdit
from vta.types.courses import CourseId

_OF_NO_DOCUMENT = {"": DocumentChange(concepts=True)}


class SqlGraphEdits(ClockedStore):
    """Edits of people in the concept graphs, stored apart from the documents."""

    def edits(self, course_id: CourseId | None = None) -> tuple[RecordedEdit, ...]:
        """The edits that were not undone, of one course or of all, by course and number.

        `NotFound` for an unknown course.
        """
        with reading(self._engine) as connection:
            if course_id is not None:
                require_course(connection, course_id)
            return read_edits(connection, course_id)

    @written
    def record(self, connection: Connection, course_id: CourseId, edit: GraphEdit) -> RecordedEdit:
        """Append an edit to its course and raise the revision; `NotFound` for an unknown course."""
        table = tables.graph_edits
        require_course(connection, course_id)
        last = select(func.max(table.c.number)).filter_by(course_id=course_id)
        number = (connection.execute(last).scalar_one() or 0) + 1
        now = self._clock.now()
        recorded = RecordedEdit(course_id=course_id, number=number, edit=edit, created_at=now)
        insert_edits(connection, course_id, [recorded])
        return recorded

    @written
    def undo(self, connection: Connection, course_id: CourseId) -> tuple[RecordedEdit, ...]:
        """Take back the last edit that stands, with those recorded together with it, and raise the revision.

        They are given back by number; `NotFound` where there is none.
        """
        table = tables.graph_edits
        require_course(connection, course_id)
        standing = read_edits(connection, course_id)
        if not standing:
            raise NotFound(Fault("graph.nothing_to_undo", course=course_id))
        undone = tuple(each for each in standing if each.created_at == standing[-1].created_at)
        here = table.c.number.in_([each.number for each in undone])
        change = update(table).filter_by(course_id=course_id).where(here)
        connection.execute(change.values(undone=True))
        note_changes(connection, raise_revision(connection, course_id), course_id, _OF_NO_DOCUMENT)
        return undone


def read_edits(connection: Connection, course_id: CourseId | None = None) -> tuple[RecordedEdit, ...]:
    """`SqlGraphEdits.edits` inside the caller's transaction."""
    query = select(tables.graph_edits).filter_by(undone=False).order_by("course_id", "number")
    if course_id is not None:
        query = query.filter_by(course_id=course_id)
    return tuple(_recorded(row) for row in connection.execute(query))


def insert_edits(connection: Connection, course_id: CourseId, edits: Sequence[RecordedEdit]) -> None:
    """Insert edits of a course under their numbers, and raise the revision if there are any."""
    rows = [
        {
            "course_id": course_id,
            "number": each.number,
            "edit": _edits().dump_python(each.edit, mode="json"),
            "created_at": each.created_at,
            "undone": False,
        }
        for each in edits
    ]
    if rows:
        connection.execute(insert(tables.graph_edits), rows)
        note_changes(connection, raise_revision(connection, course_id), course_id, _OF_NO_DOCUMENT)


@cache
def _edits() -> TypeAdapter[GraphEdit]:
    return TypeAdapter(Annotated[GraphEdit, Field(discriminator="kind")])


def _recorded(row: Row[Any]) -> RecordedEdit:
    try:
        edit = _edits().validate_python(row.edit)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_input=False)[0]["msg"]
        raise UpstreamFailed(
            Fault("store.edit_unreadable", number=row.number, course=row.course_id, reason=reason)
        ) from error
    return from_row(RecordedEdit, row, edit=edit)
