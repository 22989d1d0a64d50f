"""What becomes of the questions that wait for a real TA, in the relational store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, Row, select, update

from services.storage import tables
from services.storage.faq import SqlFaq, newest_entry
from services.storage.session_rows import of_session, select_waiting, unknown_session
from services.storage.transactions import reading, write
from services.storage.webhooks import note_answer
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import bare, clean_draft
from vta.ports import Clock
from vta.types import CourseId, FaqDraft, FaqEntry, FaqId, SessionId, TaAnswer, TurnId


class SqlTaQueue:
    """The port `TaQueue`.

    Answering a question, publishing its FAQ entry and noting that the platform is to be told are one
    transaction.
    """

    def __init__(self, engine: Engine, clock: Clock, faq: SqlFaq) -> None:
        self._engine = engine
        self._clock = clock
        self._faq = faq

    def answer(
        self, course_id: CourseId, question_ids: Sequence[str], answer: FaqDraft | FaqId, *, editor: str
    ) -> FaqEntry:
        def action(connection: Connection) -> FaqEntry:
            waiting = _hold(connection, course_id, question_ids)
            wordings = [row.question for row in waiting]
            if isinstance(answer, FaqDraft):
                draft = clean_draft(with_wordings(answer, wordings))
                (entry,) = self._faq.add_within(connection, course_id, [draft], editor=editor)
            else:
                entry = newest_entry(connection, course_id, answer)
                draft = clean_draft(with_wordings(entry.draft, wordings))
                if draft != entry.draft or entry.removed:
                    entry = self._faq.edit_within(connection, entry, draft, editor=editor)
            self._resolve(connection, waiting, state="answered", faq_id=entry.id)
            note_answer(connection, entry, [row.id for row in waiting], now=self._clock.now())
            return entry

        return write(self._engine, action)

    def reject(self, course_id: CourseId, question_ids: Sequence[str], *, reason: str) -> None:
        def action(connection: Connection) -> None:
            waiting = _hold(connection, course_id, question_ids)
            self._resolve(connection, waiting, state="rejected", reason=reason)

        write(self._engine, action)

    def answers(self, course_id: CourseId, session_id: SessionId) -> tuple[TaAnswer, ...]:
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        query = (
            select(waiting, tables.turns.c.question, versions.c.answer)
            .select_from(waiting)
            .join(tables.turns)
            .join(tables.sessions)
            .join(entries, entries.c.id == waiting.c.faq_id)
            .join(versions, (versions.c.faq_id == entries.c.id) & (versions.c.version == entries.c.version))
            .where(of_session(course_id, session_id), waiting.c.state == "answered")
            .order_by(waiting.c.resolved_at, waiting.c.id)
        )
        with reading(self._engine) as connection:
            _require_session(connection, course_id, session_id)
            return tuple(
                TaAnswer(
                    turn_id=TurnId(row.turn_id),
                    question=row.question,
                    faq_id=FaqId(row.faq_id),
                    answer=row.answer,
                    answered_at=row.resolved_at,
                    seen=row.seen,
                )
                for row in connection.execute(query)
            )

    def mark_seen(self, course_id: CourseId, session_id: SessionId) -> None:
        table = tables.waiting_questions
        of_turns = select(tables.turns.c.id).where(tables.turns.c.session_id == session_id)
        change = update(table).where(table.c.turn_id.in_(of_turns), table.c.state == "answered")

        def action(connection: Connection) -> None:
            _require_session(connection, course_id, session_id)
            connection.execute(change.values(seen=True))

        write(self._engine, action)

    def _resolve(self, connection: Connection, waiting: Sequence[Row[Any]], **outcome: str) -> None:
        table = tables.waiting_questions
        ids = [row.id for row in waiting]
        change = update(table).where(table.c.id.in_(ids))
        connection.execute(change.values(resolved_at=self._clock.now(), **outcome))


def _hold(connection: Connection, course_id: CourseId, question_ids: Sequence[str]) -> list[Row[Any]]:
    """The waiting questions of these ids, oldest first, held until the transaction ends."""
    wanted = set(question_ids)
    if not wanted:
        raise InvalidInput("no question is named", field="questions")
    table = tables.waiting_questions
    query = select_waiting(course_id).where(table.c.id.in_(wanted)).with_for_update(of=table)
    found = connection.execute(query).all()
    for missing in sorted(wanted - {row.id for row in found}):
        raise NotFound(f"no question {missing!r} waits in course {course_id!r}", field="questions")
    for row in found:
        if row.state != "waiting":
            raise Conflict(f"the question {row.id!r} is {row.state} already", field="questions")
    return list(found)


def with_wordings(draft: FaqDraft, wordings: Sequence[str]) -> FaqDraft:
    """The draft with the students' own wordings among its similar questions."""
    known = {bare(each) for each in (draft.question, *draft.similar_questions)}
    new = {bare(each): each for each in wordings if bare(each) not in known}
    return replace(draft, similar_questions=(*draft.similar_questions, *new.values()))


def _require_session(connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
    query = select(tables.sessions.c.id).where(of_session(course_id, session_id))
    if connection.execute(query).first() is None:
        raise unknown_session(course_id, session_id)
