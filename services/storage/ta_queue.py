"""What becomes of the questions that wait for a real TA, in the relational store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, Row, func, select, update

from services.storage import tables
from services.storage.faq import SqlFaq
from services.storage.faq_rows import newest_entry
from services.storage.messages import is_private, last_replies
from services.storage.session_rows import of_session, unknown_session
from services.storage.ta_queue_rows import (
    asked,
    find_questions,
    hold_waiting,
    is_settled,
    let_wait,
    settle,
    with_same_words,
)
from services.storage.transactions import reading, write
from services.storage.webhooks import note_answer, note_rejection
from vta.errors import Conflict
from vta.faq import clean_draft, with_wordings
from vta.faults import Fault
from vta.ports import Clock
from vta.types import (
    CourseId,
    FaqDraft,
    FaqEntry,
    FaqId,
    FaqState,
    MessageKind,
    QuestionMessage,
    QuestionState,
    SessionId,
    TaAnswer,
    TurnId,
)


class SqlTaQueue:
    """What becomes of the questions that wait for a real TA.

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
        """Answer questions with a new entry, or with one that is there: then their wordings join it.

        Every waiting question of the course that asks the same as one of them (by `vta.faq.bare` of what it
        `asks`) is answered too. All in one transaction. `NotFound` for a question or entry of another course,
        `Conflict` where a question is answered or rejected already.
        """

        def action(connection: Connection) -> FaqEntry:
            waiting = with_same_words(
                connection, course_id, hold_waiting(connection, course_id, question_ids)
            )
            wordings = [asked(row) for row in waiting]
            if isinstance(answer, FaqDraft):
                draft = clean_draft(with_wordings(answer, wordings))
                (entry,) = self._faq.add_within(connection, course_id, [draft], editor=editor)
            else:
                entry = newest_entry(connection, course_id, answer)
                draft = clean_draft(with_wordings(replace(entry.draft, state=FaqState.LIVE), wordings))
                if draft != entry.draft or entry.removed:
                    entry = self._faq.edit_within(connection, entry, draft, editor=editor)
            now = self._clock.now()
            settle(connection, waiting, state=QuestionState.ANSWERED, now=now, faq_id=entry.id)
            note_answer(connection, entry, [row.id for row in waiting], now=now)
            return entry

        return write(self._engine, action)

    def reject(self, course_id: CourseId, question_ids: Sequence[str], *, reason: str) -> None:
        """Reject these questions; the students who asked see the reason. Errors as in `answer`."""

        def action(connection: Connection) -> None:
            waiting = hold_waiting(connection, course_id, question_ids)
            outcome = {"reason": reason, "reason_is_public": True}
            now = self._clock.now()
            settle(connection, waiting, state=QuestionState.REJECTED, now=now, **outcome)
            note_rejection(connection, course_id, [row.id for row in waiting], now=now)

        write(self._engine, action)

    def reopen(self, course_id: CourseId, question_ids: Sequence[str]) -> None:
        """Let settled questions wait again; an entry that answered them stays.

        `NotFound` for a question of another course, `Conflict` for one that waits.
        """

        def action(connection: Connection) -> None:
            settled = find_questions(connection, course_id, question_ids)
            for row in settled:
                if row.state == QuestionState.WAITING:
                    raise Conflict(Fault("waiting_question.waiting", question=row.id), field="questions")
            let_wait(connection, settled)

        write(self._engine, action)

    def assign(self, course_id: CourseId, question_ids: Sequence[str], name: str | None) -> None:
        """Say who takes care of these questions, or that nobody does. `NotFound` as in `answer`."""
        table = tables.waiting_questions

        def action(connection: Connection) -> None:
            found = [row.id for row in find_questions(connection, course_id, question_ids)]
            connection.execute(update(table).where(table.c.id.in_(found)).values(assignee=name or None))

        write(self._engine, action)

    def answers(self, course_id: CourseId, session_id: SessionId) -> tuple[TaAnswer, ...]:
        """What real TAs said to the settled questions of a session, oldest first."""
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        told = versions.alias()
        last_told = (
            select(func.max(told.c.version))
            .where(
                told.c.faq_id == entries.c.id, told.c.removed.is_(False), told.c.state == FaqState.LIVE.value
            )
            .correlate(entries)
            .scalar_subquery()
        )
        query = (
            select(waiting, tables.turns.c.question, versions.c.answer)
            .select_from(waiting)
            .join(tables.turns)
            .join(tables.sessions)
            .outerjoin(entries, entries.c.id == waiting.c.faq_id)
            .outerjoin(versions, (versions.c.faq_id == entries.c.id) & (versions.c.version == last_told))
            .where(of_session(course_id, session_id), is_settled())
            .order_by(waiting.c.resolved_at, waiting.c.id)
        )
        with reading(self._engine) as connection:
            _require_session(connection, course_id, session_id)
            rows = connection.execute(query).all()
            replies = last_replies(connection, [row.id for row in rows if is_private(row)])
            return tuple(_to_answer(row, replies.get(row.id)) for row in rows)

    def mark_seen(self, course_id: CourseId, session_id: SessionId) -> None:
        """The student has seen the answers so far."""
        table = tables.waiting_questions
        of_turns = select(tables.turns.c.id).where(tables.turns.c.session_id == session_id)
        change = update(table).where(table.c.turn_id.in_(of_turns), is_settled())

        def action(connection: Connection) -> None:
            _require_session(connection, course_id, session_id)
            connection.execute(change.values(seen=True))

        write(self._engine, action)


def _to_answer(row: Row[Any], told: QuestionMessage | None) -> TaAnswer:
    """`told` is what a TA wrote to the asker alone, where there is no entry."""
    return TaAnswer(
        turn_id=TurnId(row.turn_id),
        question=row.question,
        state=QuestionState(row.state),
        faq_id=None if row.faq_id is None else FaqId(row.faq_id),
        answer=told.text if told else row.answer or "",
        answered_at=row.resolved_at,
        seen=row.seen,
        reason=row.reason if row.reason_is_public else None,
        asks_back=told is not None and told.kind is MessageKind.QUESTION,
    )


def _require_session(connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
    query = select(tables.sessions.c.id).where(of_session(course_id, session_id))
    if connection.execute(query).first() is None:
        raise unknown_session(course_id, session_id)
