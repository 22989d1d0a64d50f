"""Undoing an answer of a TA: its questions wait again, and its entry is restored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from services.faq.rows import keep, newest_entry, publish, select_versions, to_entry
from services.faq.store import SqlFaq
from services.questions.rows import find_questions, let_wait, select_waiting
from services.store import tables
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqEntry


def take_back(
    connection: Connection, faq: SqlFaq, course_id: CourseId, question_id: str, *, editor: str
) -> None:
    """Undo the answer that settled this question: all questions that it settled wait again.

    Where the answer made the entry, the entry is removed; where it changed one, the version before is the
    newest again; an entry that it left as it was stays. `Conflict` where the question waits already, or the
    entry was changed since.
    """
    (question,) = find_questions(connection, course_id, [question_id])
    if question.faq_id is None:
        raise Conflict(Fault("waiting_question.waiting", question=question_id), field="questions")
    newest = newest_entry(connection, course_id, FaqId(question.faq_id))
    before, made = _around(connection, newest, question.resolved_at)
    if len(made) > 1:
        raise Conflict(
            Fault("waiting_question.entry_changed", entry=newest.id, editor=newest.editor), field="questions"
        )
    let_wait(connection, _settled_with(connection, course_id, question))
    if not made:
        return
    if before and not before[-1].removed:
        faq.edit_within(connection, newest, before[-1].draft, editor=editor)
        return
    gone = faq.next_version(newest, before[-1].draft if before else newest.draft, editor, removed=True)
    publish(connection, course_id, [gone])
    keep(connection, [gone])


def _around(
    connection: Connection, newest: FaqEntry, moment: datetime
) -> tuple[list[FaqEntry], list[FaqEntry]]:
    """The versions of an entry from before a moment, and those from then on, oldest first."""
    versions = select_versions(newest.course_id).where(tables.faq_entries.c.id == newest.id)
    rows = connection.execute(versions.order_by(tables.faq_versions.c.version))
    entries = list(map(to_entry, rows))
    return (
        [each for each in entries if each.edited_at < moment],
        [each for each in entries if each.edited_at >= moment],
    )


def _settled_with(connection: Connection, course_id: CourseId, question: Row[Any]) -> Sequence[Row[Any]]:
    """The questions that the same answer settled."""
    table = tables.waiting_questions.c
    same = select_waiting(course_id).where(
        table.faq_id == question.faq_id, table.resolved_at == question.resolved_at
    )
    return connection.execute(same).all()
