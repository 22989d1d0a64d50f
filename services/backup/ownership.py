"""Which rows are a course's own, told by the foreign keys that would remove them with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from sqlalchemy import Select, Table, select

from services.storage.tables import courses, metadata
from vta.types import CourseId


def rows_of(course_id: CourseId | None) -> Mapping[Table, Select[tuple[object, ...]]]:
    """For each table that is backed up, what selects its rows; parents come before children.

    Of one course, these are its own row and the tables all of whose foreign keys lead to it; what also hangs
    on an LTI platform or a person stays behind.
    """
    if course_id is None:
        return {table: select(table) for table in metadata.sorted_tables}
    return {table: _owned(table, course_id) for table in owned_tables()}


@cache
def owned_tables() -> tuple[Table, ...]:
    """The tables of which a course owns rows, its own among them."""
    owned: list[Table] = []
    for table in metadata.sorted_tables:
        parents = {key.column.table for key in table.foreign_keys}
        if table is courses or (parents and parents.issubset(owned)):
            owned.append(table)
    return tuple(owned)


def _owned(table: Table, course_id: CourseId) -> Select[tuple[object, ...]]:
    if table is courses:
        return select(table).where(courses.c.id == course_id)
    key = next((k for k in table.foreign_keys if k.column.table is courses), None)
    if key is not None:
        return select(table).where(key.parent == course_id)
    key = min(table.foreign_keys, key=lambda each: each.parent.name)
    parents = _owned(key.column.table, course_id).with_only_columns(key.column)
    return select(table).where(key.parent.in_(parents))
