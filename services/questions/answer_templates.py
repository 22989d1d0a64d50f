"""Texts that the TAs of a course use in several answers."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from services.questions.store import clean_message
from services.store.course_rows import require_course
from services.store.rows import from_row
from services.store.tables import answer_templates as table
from services.store.transactions import ClockedStore, reading, write
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId

MOST = 50
"""Templates of a course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTemplate:
    """A text to answer with."""

    id: str
    text: str


class SqlAnswerTemplates(ClockedStore):
    """The templates of all courses."""

    def templates(self, course_id: CourseId) -> tuple[AnswerTemplate, ...]:
        """Those of a course, oldest first."""
        with reading(self._engine) as connection:
            return _read(connection, course_id)

    def keep(self, course_id: CourseId, text: str) -> None:
        """Store a text, once. `InvalidInput` for an empty or long one, and for one too many."""
        text = clean_message(text)

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            there = _read(connection, course_id)
            if text in {each.text for each in there}:
                return
            if len(there) >= MOST:
                raise InvalidInput(Fault("answer_template.too_many", most=MOST), field="template")
            row = {"id": secrets.token_hex(8), "course_id": course_id, "text": text}
            connection.execute(insert(table).values(**row, created_at=self._clock.now()))

        write(self._engine, action)

    def text(self, course_id: CourseId, template_id: str) -> str:
        """The text of a template; `InvalidInput` for a removed one."""
        for each in self.templates(course_id):
            if each.id == template_id:
                return each.text
        raise InvalidInput(Fault("answer_template.gone"), field="template")

    def remove(self, course_id: CourseId, template_id: str) -> None:
        """Remove a template, if it is there."""
        self._execute(delete(table).filter_by(course_id=course_id, id=template_id))


def _read(connection: Connection, course_id: CourseId) -> tuple[AnswerTemplate, ...]:
    query = select(table).filter_by(course_id=course_id).order_by(table.c.created_at, table.c.id)
    return tuple(from_row(AnswerTemplate, row) for row in connection.execute(query))
