"""What becomes of the questions that wait for a real TA, in the relational store."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, ScalarSelect, and_, func, insert, select, update

from services.dialogue.rows import of_session, place_columns, select_turns, to_turn, unknown_session
from services.faq.rows import newest_entry
from services.faq.store import SqlFaq
from services.questions.notices import note_question
from services.questions.rows import (
    find_questions,
    hold_waiting,
    is_private,
    is_settled,
    let_wait,
    read_messages,
    select_waiting,
    settle,
    to_waiting,
    with_same_words,
)
from services.questions.undo import take_back
from services.store import tables
from services.store.rows import from_row
from services.store.transactions import ClockedStore, SqlStore, reading, write
from services.webhooks.rows import ANSWERED, REJECTED, REPLIED, last_replies
from services.webhooks.store import queue_delivery
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import clean_draft, with_wordings
from vta.faults import Fault
from vta.ports import Clock
from vta.types.answers import Turn
from vta.types.courses import CourseId, FaqId, SessionId, TurnId
from vta.types.faq import FaqDraft, FaqEntry, FaqState
from vta.types.inbox import (
    LONGEST_MESSAGE,
    MessageKind,
    QuestionContext,
    QuestionMessage,
    QuestionState,
    Ta,
    TaAnswer,
    WaitingQuestion,
)
from vta.types.questions import Position

EARLIER = 4
"""Turns before the question that are shown with it."""


class SqlTaQueue(ClockedStore):
    """What becomes of the questions that wait for a real TA.

    Answering a question, publishing its FAQ entry and noting that the platform is to be told are one
    transaction.
    """

    def __init__(self, engine: Engine, clock: Clock, faq: SqlFaq) -> None:
        super().__init__(engine, clock)
        self._faq = faq

    def answer(
        self, course_id: CourseId, question_ids: Sequence[str], answer: FaqDraft | FaqId, *, editor: str
    ) -> FaqEntry:
        """Answer questions with a new entry, or with one that is there: then their wordings join it, but for
        those that only the turn before completes.

        Every waiting question of the course that asks the same as one of them, by `vta.faq.comparison_key`,
        is answered too. All in one transaction. `NotFound` for a question or entry of another course,
        `Conflict` where a question is answered or rejected already.
        """

        def action(connection: Connection) -> FaqEntry:
            now = self._clock.now()  # before the version that it makes, as `take_back` expects
            waiting = with_same_words(
                connection, course_id, hold_waiting(connection, course_id, question_ids)
            )
            wordings = [row.question for row in waiting if row.standalone_question is None]
            if isinstance(answer, FaqDraft):
                draft = clean_draft(with_wordings(answer, wordings))
                (entry,) = self._faq.add_within(connection, course_id, [draft], editor=editor)
            else:
                entry = newest_entry(connection, course_id, answer)
                draft = clean_draft(with_wordings(replace(entry.draft, state=FaqState.LIVE), wordings))
                if draft != entry.draft or entry.removed:
                    entry = self._faq.edit_within(connection, entry, draft, editor=editor)
            settle(connection, waiting, state=QuestionState.ANSWERED, now=now, faq_id=entry.id)
            ids = [row.id for row in waiting]
            queue_delivery(
                connection, course_id, ANSWERED, ids, now=now, faq_id=entry.id, version=entry.version
            )
            return entry

        return write(self._engine, action)

    def reject(self, course_id: CourseId, question_ids: Sequence[str], *, reason: str) -> None:
        """Reject these questions; the students who asked see the reason. Errors as in `answer`."""

        def action(connection: Connection) -> None:
            waiting = hold_waiting(connection, course_id, question_ids)
            outcome = {"reason": reason, "reason_is_public": True}
            now = self._clock.now()
            settle(connection, waiting, state=QuestionState.REJECTED, now=now, **outcome)
            queue_delivery(connection, course_id, REJECTED, [row.id for row in waiting], now=now)

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

    def take_back(self, course_id: CourseId, question_ids: Sequence[str], *, editor: str) -> None:
        """Undo the answers that settled these questions, one of each; see `undo.take_back`."""

        def action(connection: Connection) -> None:
            for question_id in question_ids:
                take_back(connection, self._faq, course_id, question_id, editor=editor)

        write(self._engine, action)

    def assign(self, course_id: CourseId, question_ids: Sequence[str], ta: Ta) -> None:
        """Say who takes care of these questions, `NOBODY` for nobody. `NotFound` as in `answer`."""
        table = tables.waiting_questions

        def action(connection: Connection) -> None:
            found = [row.id for row in find_questions(connection, course_id, question_ids)]
            change = update(table).where(table.c.id.in_(found))
            connection.execute(change.values(assignee=ta.name or None, assignee_id=ta.id))

        write(self._engine, action)

    def group(self, course_id: CourseId, groups: Sequence[Sequence[str]]) -> None:
        """Let the questions of each of these be one group, whatever their words. Errors as in `answer`."""
        table = tables.waiting_questions

        def action(connection: Connection) -> None:
            hold_waiting(connection, course_id, [each for group in groups for each in group])
            for group in groups:
                change = update(table).where(table.c.id.in_(group))
                connection.execute(change.values(group_id=secrets.token_hex(8)))

        write(self._engine, action)

    def assigned(self, course_id: CourseId) -> Mapping[Ta, int]:
        """Who takes care of how many of the questions that wait, by name."""
        table = tables.waiting_questions
        whose = (table.c.assignee, table.c.assignee_id)
        waiting = select_waiting(course_id).where(
            table.c.state == QuestionState.WAITING.value, table.c.assignee.is_not(None)
        )
        query = waiting.order_by(None).with_only_columns(*whose, func.count().label("n")).group_by(*whose)
        return {
            Ta(name=row.assignee, id=row.assignee_id): row.n for row in self._rows(query.order_by(*whose))
        }

    def answers(self, course_id: CourseId, session_id: SessionId) -> tuple[TaAnswer, ...]:
        """What real TAs said to the settled questions of a session, oldest first."""
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        query = (
            select(waiting, tables.turns.c.question, versions.c.answer)
            .select_from(waiting)
            .join(tables.turns)
            .join(tables.sessions)
            .outerjoin(entries, entries.c.id == waiting.c.faq_id)
            .outerjoin(versions, (versions.c.faq_id == entries.c.id) & (versions.c.version == _last_told()))
            .where(of_session(course_id, session_id), is_settled())
            .order_by(waiting.c.resolved_at, waiting.c.id)
        )
        with reading(self._engine) as connection:
            _require_session(connection, course_id, session_id)
            rows = connection.execute(query).all()
            replies = last_replies(connection, [row.id for row in rows if is_private(row)])
            return tuple(_to_answer(row, replies.get(row.id)) for row in rows)

    def said(
        self, course_id: CourseId, questions: Sequence[WaitingQuestion] | None = None
    ) -> Mapping[str, str]:
        """What was answered in a course, or to these questions.

        By the id of the entry, or of the question where its asker alone was told.
        """
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        told = (
            select(entries.c.id, versions.c.answer)
            .where(entries.c.course_id == course_id, versions.c.faq_id == entries.c.id)
            .where(versions.c.version == _last_told())
        )
        asked = select_waiting(course_id).order_by(None).with_only_columns(waiting.c.id)
        if questions is not None:
            told = told.where(entries.c.id.in_({each.faq_id for each in questions}))
            asked = asked.where(waiting.c.id.in_({each.id for each in questions}))
        with reading(self._engine) as connection:
            replies = last_replies(connection, asked)
            told_all = {row.id: row.answer for row in connection.execute(told)}
            return told_all | {id: reply.text for id, reply in replies.items()}

    def mark_seen(self, course_id: CourseId, session_id: SessionId) -> None:
        """The student has seen the answers so far."""
        table = tables.waiting_questions
        of_turns = select(tables.turns.c.id).where(tables.turns.c.session_id == session_id)
        change = update(table).where(table.c.turn_id.in_(of_turns), is_settled())

        def action(connection: Connection) -> None:
            _require_session(connection, course_id, session_id)
            connection.execute(change.values(seen=True, mail_at=None))

        write(self._engine, action)


def _last_told() -> ScalarSelect[int]:
    """The version of an entry that was live last."""
    entries, told = tables.faq_entries, tables.faq_versions.alias()
    return (
        select(func.max(told.c.version))
        .filter_by(removed=False, state=FaqState.LIVE.value)
        .where(told.c.faq_id == entries.c.id)
        .correlate(entries)
        .scalar_subquery()
    )


def _to_answer(row: Row[Any], told: QuestionMessage | None) -> TaAnswer:
    """`told` is what a TA wrote to the asker alone, where there is no entry."""
    return from_row(
        TaAnswer,
        row,
        answer=told.text if told else row.answer or "",
        answered_at=row.resolved_at,
        reason=row.reason if row.reason_is_public else None,
        asks_back=told is not None and told.kind is MessageKind.QUESTION,
    )


def _require_session(connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
    query = select(tables.sessions.c.id).where(of_session(course_id, session_id))
    if connection.execute(query).first() is None:
        raise unknown_session(course_id, session_id)


class SqlQuestionThreads(ClockedStore):
    """What is written about a waiting question beside the answer for all: by TAs, and with its asker."""

    def note(self, course_id: CourseId, question_ids: Sequence[str], text: str, *, author: str) -> None:
        """Note something for the other TAs. `NotFound` for a question of another course."""

        def action(connection: Connection) -> None:
            ids = [row.id for row in find_questions(connection, course_id, question_ids)]
            _append(connection, ids, MessageKind.NOTE, author, text, self._clock.now())

        write(self._engine, action)

    def reply(
        self, course_id: CourseId, question_ids: Sequence[str], text: str, *, author: str, asks_back: bool
    ) -> None:
        """Answer the students who asked these questions and nobody else, or ask them back.

        Nothing becomes an FAQ entry, and questions with the same words wait on. `NotFound` and `Conflict` as
        in `SqlTaQueue.answer`.
        """
        kind = MessageKind.QUESTION if asks_back else MessageKind.REPLY

        def action(connection: Connection) -> None:
            waiting, now = hold_waiting(connection, course_id, question_ids), self._clock.now()
            ids = [row.id for row in waiting]
            _append(connection, ids, kind, author, text, now)
            settle(connection, waiting, state=QuestionState.ANSWERED, now=now)
            queue_delivery(connection, course_id, REPLIED, ids, now=now)

        write(self._engine, action)

    def respond(self, course_id: CourseId, turn_id: TurnId, text: str) -> WaitingQuestion:
        """The student's reply to what was asked back; the question waits again.

        `NotFound` where the turn's question was not handed on, `Conflict` where nothing was asked back.
        """
        table = tables.waiting_questions
        query = select_waiting(course_id).where(table.c.turn_id == turn_id)

        def action(connection: Connection) -> WaitingQuestion:
            row = connection.execute(query.with_for_update(of=table)).one_or_none()
            if row is None:
                raise NotFound(Fault("session.no_turn", turn=turn_id, course=course_id))
            told = last_replies(connection, [row.id]).get(row.id)
            if not is_private(row) or told is None or told.kind is not MessageKind.QUESTION:
                raise Conflict(Fault("waiting_question.not_asked_back"))
            now = self._clock.now()
            _append(connection, [row.id], MessageKind.STUDENT, "", text, now)
            let_wait(connection, [row])
            note_question(connection, course_id, row.id, now=now)
            return to_waiting(connection.execute(query).one())

        return write(self._engine, action)

    def messages(
        self, course_id: CourseId, question_ids: Sequence[str]
    ) -> Mapping[str, tuple[QuestionMessage, ...]]:
        """The messages of these questions, oldest first; questions without any are left out."""
        table = tables.waiting_questions
        here = select_waiting(course_id).where(table.c.id.in_(question_ids))
        with reading(self._engine) as connection:
            ids = connection.execute(here.with_only_columns(table.c.id)).scalars().all()
            return read_messages(connection, ids)


def clean_message(text: str) -> str:
    """The text without white space around it; `InvalidInput` for an empty and for a long one."""
    text = text.strip()
    if not text:
        raise InvalidInput(Fault("waiting_question.no_message"), field="text")
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(Fault("waiting_question.long_message", most=LONGEST_MESSAGE), field="text")
    return text


def _append(
    connection: Connection, ids: Sequence[str], kind: MessageKind, author: str, text: str, now: datetime
) -> None:
    """Write a message into the threads of these questions, which are held. `InvalidInput` for a bad text."""
    text, table = clean_message(text), tables.question_messages
    counted = select(table.c.question_id, func.max(table.c.number)).where(table.c.question_id.in_(ids))
    last = {row[0]: row[1] for row in connection.execute(counted.group_by(table.c.question_id))}
    message = {"kind": kind.value, "author": author, "text": text, "created_at": now}
    rows = [{"question_id": id, "number": last.get(id, 0) + 1, **message} for id in ids]
    connection.execute(insert(table), rows)


class SqlQuestionContexts(SqlStore):
    """Reads what a TA has to know of a question: the turns before it, its place, and what was answered."""

    def contexts(self, course_id: CourseId, turn_ids: Sequence[TurnId]) -> Mapping[TurnId, QuestionContext]:
        """How those of these turns came up that the course has."""
        turns, facts, asked = tables.turns, tables.turn_facts, tables.turns.alias("asked")
        here = tables.sessions.c.course_id == course_id
        own = (
            select_turns()
            .add_columns(*place_columns())
            .outerjoin(facts, facts.c.turn_id == turns.c.id)
            .where(turns.c.id.in_(turn_ids), here)
        )
        just_before = and_(
            asked.c.session_id == turns.c.session_id,
            turns.c.number.between(asked.c.number - EARLIER, asked.c.number - 1),
        )
        earlier = (
            select_turns()
            .add_columns(asked.c.id.label("asked_id"))
            .join(asked, just_before)
            .where(asked.c.id.in_(turn_ids), here)
            .order_by(turns.c.number)
        )
        before = defaultdict[str, list[Turn]](list)
        with reading(self._engine) as connection:
            for row in connection.execute(earlier):
                before[row.asked_id].append(to_turn(row))
            return {
                TurnId(row.id): QuestionContext(
                    turn=to_turn(row),
                    position=from_row(Position, row),
                    before=tuple(before[row.id]),
                )
                for row in connection.execute(own)
            }
