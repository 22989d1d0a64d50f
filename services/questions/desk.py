"""Help for several TAs of a course: texts for answers, and who opened a question lately."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert, or_, select

from services.questions.store import clean_message
from services.store.course_rows import require_course
from services.store.rows import from_row
from services.store.tables import answer_templates as templates
from services.store.tables import question_readers as openings
from services.store.transactions import ClockedStore, reading, written
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.courses import CourseId
from vta.types.inbox import Ta, WaitingQuestion

MOST = 50
"""Templates of a course."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTemplate:
    id: str
    text: str


class SqlAnswerTemplates(ClockedStore):
    """The templates of all courses."""

    def templates(self, course_id: CourseId) -> tuple[AnswerTemplate, ...]:
        """Those of a course, oldest first."""
        with reading(self._engine) as connection:
            return _read(connection, course_id)

    @written
    def keep(self, connection: Connection, course_id: CourseId, text: str) -> None:
        """Store a text, once. `InvalidInput` for an empty or long one, and for one too many."""
        text = clean_message(text)
        require_course(connection, course_id)
        there = _read(connection, course_id)
        if text in {each.text for each in there}:
            return
        if len(there) >= MOST:
            raise InvalidInput(Fault("answer_template.too_many", most=MOST), field="template")
        row = {"id": secrets.token_hex(8), "course_id": course_id, "text": text}
        connection.execute(insert(templates).values(**row, created_at=self._clock.now()))

    def text(self, course_id: CourseId, template_id: str) -> str:
        """The text of a template; `InvalidInput` for a removed one."""
        for each in self.templates(course_id):
            if each.id == template_id:
                return each.text
        raise InvalidInput(Fault("answer_template.gone"), field="template")

    def remove(self, course_id: CourseId, template_id: str) -> None:
        self._execute(delete(templates).filter_by(course_id=course_id, id=template_id))


def _read(connection: Connection, course_id: CourseId) -> tuple[AnswerTemplate, ...]:
    query = select(templates).filter_by(course_id=course_id).order_by(templates.c.created_at, templates.c.id)
    return tuple(from_row(AnswerTemplate, row) for row in connection.execute(query))


SHOWN_FOR = timedelta(minutes=10)
"""How long an opening is shown; the page may be closed by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOpening:
    """A TA who opened a question, and the time of the last opening."""

    name: str
    opened_at: datetime


class SqlQuestionReaders(ClockedStore):
    """Stores who opened questions; it locks nothing, and deletes what is not shown any more."""

    @written
    def note(self, connection: Connection, question_ids: Sequence[str], ta: Ta) -> None:
        """Store that a TA opened these questions now."""
        now = self._clock.now()
        again = (openings.c.reader == ta.key) & openings.c.question_id.in_(question_ids)
        opened = {"reader": ta.key, "name": ta.name, "opened_at": now}
        connection.execute(delete(openings).where(or_(again, openings.c.opened_at < now - SHOWN_FOR)))
        connection.execute(insert(openings), [{"question_id": each, **opened} for each in question_ids])

    def others(
        self, groups: Sequence[Sequence[WaitingQuestion]], me: Ta
    ) -> Mapping[str, tuple[QuestionOpening, ...]]:
        """The other TAs who opened a question of each group lately, by the id of its first question."""
        first = {each.id: group[0].id for group in groups for each in group}
        query = select(openings).where(
            openings.c.question_id.in_(first),
            openings.c.reader != me.key,
            openings.c.opened_at >= self._clock.now() - SHOWN_FOR,
        )
        found = defaultdict[str, dict[str, QuestionOpening]](dict)
        for row in self._rows(query.order_by(openings.c.opened_at)):
            found[first[row.question_id]][row.reader] = QuestionOpening(
                name=row.name, opened_at=row.opened_at
            )
        return {group[0].id: tuple(found[group[0].id].values()) for group in groups}
