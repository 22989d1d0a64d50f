"""Messages about waiting questions in the relational store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine, func, insert, select

from services.storage import tables
from services.storage.messages import is_private, last_replies, read_messages
from services.storage.notices import note_question
from services.storage.session_rows import select_waiting, to_waiting
from services.storage.ta_queue_rows import find_questions, hold_waiting, let_wait, settle
from services.storage.transactions import reading, write
from services.storage.webhooks import note_reply
from vta.errors import Conflict, InvalidInput, NotFound
from vta.faults import Fault
from vta.ports import Clock
from vta.types import CourseId, MessageKind, QuestionMessage, QuestionState, TurnId, WaitingQuestion

LONGEST_MESSAGE = 4000
"""Characters."""


class SqlQuestionThreads:
    """What is written about a waiting question beside the answer for all: by TAs, and with its asker."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

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
            note_reply(connection, course_id, ids, now=now)

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


def _append(
    connection: Connection, ids: Sequence[str], kind: MessageKind, author: str, text: str, now: datetime
) -> None:
    """Write a message into the threads of these questions, which are held. `InvalidInput` for a bad text."""
    text, table = text.strip(), tables.question_messages
    if not text:
        raise InvalidInput(Fault("waiting_question.no_message"), field="text")
    if len(text) > LONGEST_MESSAGE:
        raise InvalidInput(Fault("waiting_question.long_message", most=LONGEST_MESSAGE), field="text")
    counted = select(table.c.question_id, func.max(table.c.number)).where(table.c.question_id.in_(ids))
    last = {row[0]: row[1] for row in connection.execute(counted.group_by(table.c.question_id))}
    message = {"kind": kind.value, "author": author, "text": text, "created_at": now}
    rows = [{"question_id": id, "number": last.get(id, 0) + 1, **message} for id in ids]
    connection.execute(insert(table), rows)
