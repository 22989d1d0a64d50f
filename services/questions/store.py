"""Answers, rejections, messages and assignments of questions for a real TA, in the relational store."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Engine, Row, ScalarSelect, func, insert, select, update

from services.dialogue.rows import of_session, unknown_session
from services.faq.rows import newest_entry, select_versions, to_entry, write_versions
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
from services.store import tables
from services.store.rows import as_row, from_row
from services.store.transactions import ClockedStore, reading, written
from services.webhooks.rows import ANSWERED, REJECTED, REPLIED, last_replies
from services.webhooks.store import queue_delivery
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faq import clean_draft, with_wordings
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId, FaqId, SessionId, TurnId
from vta.types.faq import FaqDraft, FaqEntry, FaqState
from vta.types.inbox import (
    LONGEST_MESSAGE,
    MessageKind,
    QuestionMessage,
    QuestionState,
    Ta,
    TaAnswer,
    WaitingQuestion,
)


class SqlTaQueue(ClockedStore):
    """Answers, rejects, assigns and groups the questions for a real TA.

    Answering a question, publishing its FAQ entry and queueing the message to the platform are one
    transaction.
    """

    def __init__(self, engine: Engine, clock: Clock, faq: SqlFaq) -> None:
        super().__init__(engine, clock)
        self._faq = faq

    @written
    def answer(
        self,
        connection: Connection,
        course_id: CourseId,
        question_ids: Sequence[str],
        answer: FaqDraft | FaqId,
        *,
        editor: str,
    ) -> FaqEntry:
        """Answer questions with a new entry, or with an existing one, which their wordings then join.

        A follow-up that needs the turn before it does not join. Every waiting question of the course that
        asks the same as one of them (by `vta.faq.comparison_key` of what it `asks`) is answered too. All in
        one transaction. `NotFound` for a question or entry of another course, `Conflict` for a settled one.
        """
        now = self._clock.now()  # before the version that it makes, as `take_back` expects
        waiting = with_same_words(connection, course_id, hold_waiting(connection, course_id, question_ids))
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
        queue_delivery(connection, course_id, ANSWERED, ids, now=now, faq_id=entry.id, version=entry.version)
        return entry

    @written
    def reject(
        self, connection: Connection, course_id: CourseId, question_ids: Sequence[str], *, reason: str
    ) -> None:
        """Reject these questions; the students who asked see the reason. Errors as in `answer`."""
        waiting = hold_waiting(connection, course_id, question_ids)
        outcome = {"reason": reason, "reason_is_public": True}
        now = self._clock.now()
        settle(connection, waiting, state=QuestionState.REJECTED, now=now, **outcome)
        queue_delivery(connection, course_id, REJECTED, [row.id for row in waiting], now=now)

    @written
    def reopen(self, connection: Connection, course_id: CourseId, question_ids: Sequence[str]) -> None:
        """Let settled questions wait again; an entry that answered them stays.

        `NotFound` for a question of another course, `Conflict` for one that waits.
        """
        settled = find_questions(connection, course_id, question_ids)
        for row in settled:
            if row.state == QuestionState.WAITING:
                raise Conflict(Fault("waiting_question.waiting", question=row.id), field="questions")
        let_wait(connection, settled)

    @written
    def take_back(
        self, connection: Connection, course_id: CourseId, question_ids: Sequence[str], *, editor: str
    ) -> None:
        """Undo the answers that settled these questions, one of each; see `_take_back`."""
        for question_id in question_ids:
            _take_back(connection, self._faq, course_id, question_id, editor=editor)

    @written
    def assign(
        self, connection: Connection, course_id: CourseId, question_ids: Sequence[str], ta: Ta
    ) -> None:
        """Assign these questions to a TA, or to `NOBODY`. `NotFound` as in `answer`."""
        table = tables.waiting_questions
        found = [row.id for row in find_questions(connection, course_id, question_ids)]
        change = update(table).where(table.c.id.in_(found))
        connection.execute(change.values(assignee=ta.name or None, assignee_id=ta.id))

    @written
    def group(self, connection: Connection, course_id: CourseId, groups: Sequence[Sequence[str]]) -> None:
        """Make each list of questions one group, whatever their words. Errors as in `answer`."""
        table = tables.waiting_questions
        hold_waiting(connection, course_id, [each for group in groups for each in group])
        for group in groups:
            change = update(table).where(table.c.id.in_(group))
            connection.execute(change.values(group_id=secrets.token_hex(8)))

    def assigned(self, course_id: CourseId) -> Mapping[Ta, int]:
        """The number of waiting questions of each assignee, by name."""
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
        """The replies of real TAs to the settled questions of a session, oldest first."""
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        query = (
            select(waiting, tables.turns.c.question, versions.c.answer)
            .select_from(waiting)
            .join(tables.turns)
            .join(tables.sessions)
            .outerjoin(entries, entries.c.id == waiting.c.faq_id)
            .outerjoin(versions, (versions.c.faq_id == entries.c.id) & (versions.c.version == last_live()))
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
        """The answers of a course, or to these questions.

        The key is the id of the entry, or of the question if its asker alone has the answer.
        """
        waiting, entries, versions = tables.waiting_questions, tables.faq_entries, tables.faq_versions
        live = (
            select(entries.c.id, versions.c.answer)
            .where(entries.c.course_id == course_id, versions.c.faq_id == entries.c.id)
            .where(versions.c.version == last_live())
        )
        asked = select_waiting(course_id).order_by(None).with_only_columns(waiting.c.id)
        if questions is not None:
            live = live.where(entries.c.id.in_({each.faq_id for each in questions}))
            asked = asked.where(waiting.c.id.in_({each.id for each in questions}))
        with reading(self._engine) as connection:
            replies = last_replies(connection, asked)
            published = {row.id: row.answer for row in connection.execute(live)}
            return published | {id: reply.text for id, reply in replies.items()}

    @written
    def mark_seen(self, connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
        """The student has seen the answers so far."""
        table = tables.waiting_questions
        of_turns = select(tables.turns.c.id).where(tables.turns.c.session_id == session_id)
        change = update(table).where(table.c.turn_id.in_(of_turns), is_settled())
        _require_session(connection, course_id, session_id)
        connection.execute(change.values(seen=True, mail_at=None))


def last_live() -> ScalarSelect[int]:
    entries, versions = tables.faq_entries, tables.faq_versions.alias()
    return (
        select(func.max(versions.c.version))
        .filter_by(removed=False, state=FaqState.LIVE.value)
        .where(versions.c.faq_id == entries.c.id)
        .correlate(entries)
        .scalar_subquery()
    )


def _to_answer(row: Row[Any], private: QuestionMessage | None) -> TaAnswer:
    """`private` is a TA's message to the asker alone, where there is no entry."""
    return from_row(
        TaAnswer,
        row,
        answer=private.text if private else row.answer or "",
        answered_at=row.resolved_at,
        reason=row.reason if row.reason_is_public else None,
        asks_back=private is not None and private.kind is MessageKind.QUESTION,
    )


def _require_session(connection: Connection, course_id: CourseId, session_id: SessionId) -> None:
    query = select(tables.sessions.c.id).where(of_session(course_id, session_id))
    if connection.execute(query).first() is None:
        raise unknown_session(course_id, session_id)


class SqlQuestionThreads(ClockedStore):
    """The messages on a waiting question: notes of TAs, and the thread with its asker."""

    @written
    def note(
        self,
        connection: Connection,
        course_id: CourseId,
        question_ids: Sequence[str],
        text: str,
        *,
        author: str,
    ) -> None:
        """Note something for the other TAs. `NotFound` for a question of another course."""
        ids = [row.id for row in find_questions(connection, course_id, question_ids)]
        _append(connection, ids, self._message(MessageKind.NOTE, author, text))

    @written
    def reply(
        self,
        connection: Connection,
        course_id: CourseId,
        question_ids: Sequence[str],
        text: str,
        *,
        author: str,
        asks_back: bool,
    ) -> None:
        """Answer the students who asked these questions and nobody else, or ask them back.

        Nothing becomes an FAQ entry, and questions with the same words wait on. `NotFound` and `Conflict` as
        in `SqlTaQueue.answer`.
        """
        kind = MessageKind.QUESTION if asks_back else MessageKind.REPLY
        waiting, now = hold_waiting(connection, course_id, question_ids), self._clock.now()
        ids = [row.id for row in waiting]
        _append(connection, ids, self._message(kind, author, text))
        settle(connection, waiting, state=QuestionState.ANSWERED, now=now)
        queue_delivery(connection, course_id, REPLIED, ids, now=now)

    @written
    def respond(
        self, connection: Connection, course_id: CourseId, turn_id: TurnId, text: str
    ) -> WaitingQuestion:
        """The student's reply to what was asked back; the question waits again.

        `NotFound` where the turn's question was not handed on, `Conflict` where nothing was asked back.
        """
        table = tables.waiting_questions
        query = select_waiting(course_id).where(table.c.turn_id == turn_id)
        row = connection.execute(query.with_for_update(of=table)).one_or_none()
        if row is None:
            raise NotFound(Fault("session.no_turn", turn=turn_id, course=course_id))
        reply = last_replies(connection, [row.id]).get(row.id)
        if not is_private(row) or reply is None or reply.kind is not MessageKind.QUESTION:
            raise Conflict(Fault("waiting_question.not_asked_back"))
        now = self._clock.now()
        _append(connection, [row.id], self._message(MessageKind.STUDENT, "", text))
        let_wait(connection, [row])
        note_question(connection, course_id, row.id, now=now)
        return to_waiting(connection.execute(query).one())

    def messages(
        self, course_id: CourseId, question_ids: Sequence[str]
    ) -> Mapping[str, tuple[QuestionMessage, ...]]:
        """The messages of these questions, oldest first; questions without any are left out."""
        table = tables.waiting_questions
        here = select_waiting(course_id).where(table.c.id.in_(question_ids))
        with reading(self._engine) as connection:
            ids = connection.execute(here.with_only_columns(table.c.id)).scalars().all()
            return read_messages(connection, ids)

    def _message(self, kind: MessageKind, author: str, text: str) -> QuestionMessage:
        return QuestionMessage(kind=kind, author=author, text=text, created_at=self._clock.now())


def clean_message(text: str) -> str:
    """The text without white space around it; `InvalidInput` for an empty and for a long one."""
    text = text.strip()
    if not text:
        raise InvalidInput(Fault("waiting_question.no_message"), field="text")
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(Fault("waiting_question.long_message", most=LONGEST_MESSAGE), field="text")
    return text


def _append(connection: Connection, ids: Sequence[str], message: QuestionMessage) -> None:
    """Write a message into the threads of these questions, which are held. `InvalidInput` for a bad text."""
    text, table = clean_message(message.text), tables.question_messages
    counted = select(table.c.question_id, func.max(table.c.number)).where(table.c.question_id.in_(ids))
    last = {row[0]: row[1] for row in connection.execute(counted.group_by(table.c.question_id))}
    row = as_row(message) | {"text": text}
    rows = [{"question_id": id, "number": last.get(id, 0) + 1, **row} for id in ids]
    connection.execute(insert(table), rows)


def _take_back(
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
    write_versions(connection, [gone])


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
