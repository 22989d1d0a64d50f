"""The first steps of the instructor of a new course, and whether they are done."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Table, exists, func, or_, select

from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH
from services.store import tables
from services.store.transactions import SqlStore
from vta.types.courses import CourseId


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
