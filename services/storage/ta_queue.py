"""What becomes of the questions that wait for a real TA, in the relational store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, select, update

from services.storage import tables
from services.storage.faq import SqlFaq, newest_entry
from services.storage.session_rows import of_session, select_waiting, unknown_session
from services.storage.transactions import reading, write
from services.storage.webhooks import note_answer
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import bare, clean_draft, with_wordings
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId, FaqDraft, FaqEntry, FaqId, QuestionState, SessionId, TaAnswer, TurnId


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
            waiting = _with_same_wordings(connection, course_id, _hold(connection, course_id, question_ids))
            wordings = [row.question for row in waiting]
            if isinstance(answer, FaqDraft):
                draft = clean_draft(with_wordings(answer, wordings))
                (entry,) = self._faq.add_within(connection, course_id, [draft], editor=editor)
            else:
                entry = newest_entry(connection, course_id, answer)
                draft = clean_draft(with_wordings(entry.draft, wordings))
                if draft != entry.draft or entry.removed:
                    entry = self._faq.edit_within(connection, entry, draft, editor=editor)
            self._resolve(connection, waiting, state=QuestionState.ANSWERED, faq_id=entry.id)
            note_answer(connection, entry, [row.id for row in waiting], now=self._clock.now())
            return entry

        return write(self._engine, action)

    def reject(self, course_id: CourseId, question_ids: Sequence[str], *, reason: str) -> None:
        def action(connection: Connection) -> None:
            waiting = _hold(connection, course_id, question_ids)
            outcome = {"reason": reason, "reason_is_public": True}
            self._resolve(connection, waiting, state=QuestionState.REJECTED, **outcome)

        write(self._engine, action)

    def reopen(self, course_id: CourseId, question_ids: Sequence[str]) -> None:
        table = tables.waiting_questions
        as_new = {
            "faq_id": None,
            "reason": None,
            "reason_is_public": False,
            "resolved_at": None,
            "seen": False,
        }

        def action(connection: Connection) -> None:
            settled = _find(connection, course_id, question_ids)
            for row in settled:
                if row.state == QuestionState.WAITING:
                    raise Conflict(Fault("waiting_question.waiting", question=row.id), field="questions")
            change = update(table).where(table.c.id.in_([row.id for row in settled]))
            connection.execute(change.values(state=QuestionState.WAITING.value, **as_new))

        write(self._engine, action)

    def answers(self, course_id: CourseId, session_id: SessionId) -> tuple[TaAnswer, ...]:
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        query = (
            select(waiting, tables.turns.c.question, versions.c.answer)
            .select_from(waiting)
            .join(tables.turns)
            .join(tables.sessions)
            .outerjoin(entries, entries.c.id == waiting.c.faq_id)
            .outerjoin(
                versions, (versions.c.faq_id == entries.c.id) & (versions.c.version == entries.c.version)
            )
            .where(of_session(course_id, session_id), _is_settled())
            .order_by(waiting.c.resolved_at, waiting.c.id)
        )
        with reading(self._engine) as connection:
            _require_session(connection, course_id, session_id)
            return tuple(map(_to_answer, connection.execute(query)))

    def mark_seen(self, course_id: CourseId, session_id: SessionId) -> None:
        table = tables.waiting_questions
        of_turns = select(tables.turns.c.id).where(tables.turns.c.session_id == session_id)
        change = update(table).where(table.c.turn_id.in_(of_turns), _is_settled())

        def action(connection: Connection) -> None:
            _require_session(connection, course_id, session_id)
            connection.execute(change.values(seen=True))

        write(self._engine, action)

    def _resolve(
        self, connection: Connection, waiting: Sequence[Row[Any]], *, state: QuestionState, **outcome: object
    ) -> None:
        table = tables.waiting_questions
        change = update(table).where(table.c.id.in_([row.id for row in waiting]))
        connection.execute(change.values(state=state.value, resolved_at=self._clock.now(), **outcome))


def _find(connection: Connection, course_id: CourseId, question_ids: Sequence[str]) -> Sequence[Row[Any]]:
    """The questions of these ids, oldest first, held until the transaction ends."""
    wanted = set(question_ids)
    if not wanted:
        raise InvalidInput(Fault("waiting_question.none_named"), field="questions")
    table = tables.waiting_questions
    query = select_waiting(course_id).where(table.c.id.in_(wanted)).with_for_update(of=table)
    found = connection.execute(query).all()
    for missing in sorted(wanted - {row.id for row in found}):
        raise NotFound(
            Fault("waiting_question.unknown", question=missing, course=course_id), field="questions"
        )
    return found


def _hold(connection: Connection, course_id: CourseId, question_ids: Sequence[str]) -> Sequence[Row[Any]]:
    """The same, all of which must wait."""
    found = _find(connection, course_id, question_ids)
    for row in found:
        if row.state != QuestionState.WAITING:
            raise Conflict(
                Fault("waiting_question.settled", question=row.id, state=row.state), field="questions"
            )
    return found


def _with_same_wordings(
    connection: Connection, course_id: CourseId, held: Sequence[Row[Any]]
) -> Sequence[Row[Any]]:
    """These questions and all that wait in the same words, held until the transaction ends.

    An answer becomes live for all who ask in these words, so nobody who asked so may go on waiting.
    """
    table, wordings = tables.waiting_questions, {bare(row.question) for row in held}
    waiting = select_waiting(course_id).where(table.c.state == QuestionState.WAITING.value)
    same = {row.id for row in connection.execute(waiting) if bare(row.question) in wordings}
    if same <= {row.id for row in held}:
        return held
    locked = waiting.where(table.c.id.in_(same)).with_for_update(of=table)
    return sorted(
        {row.id: row for row in (*held, *connection.execute(locked))}.values(),
        key=lambda row: (row.created_at, row.id),
    )


def _is_settled() -> ColumnElement[bool]:
    settled = (QuestionState.ANSWERED.value, QuestionState.REJECTED.value)
    return tables.waiting_questions.c.state.in_(settled)


def _to_answer(row: Row[Any]) -> TaAnswer:
    return TaAnswer(
        turn_id=TurnId(row.turn_id),
        question=row.question,
        state=QuestionState(row.state),
        faq_id=None if row.faq_id is None else FaqId(row.faq_id),
        answer=row.answer or "",
        answered_at=row.resolved_at,
        seen=row.seen,
        reason=row.reason if row.reason_is_public else None,
    )


def _require_session(connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
    query = select(tables.sessions.c.id).where(of_session(course_id, session_id))
    if connection.execute(query).first() is None:
        raise unknown_session(course_id, session_id)
