"""Sessions, turns and thumbs in the relational store."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, or_, select, update

from services.dialogue.rows import (
    TurnReaction,
    facts_of,
    new_turn,
    of_session,
    require_turn,
    select_reactions,
    select_turns,
    to_turn,
    unknown_session,
)
from services.rendering.answer_json import answer_to_json
from services.store import tables
from services.store.course_rows import find_course, require_course, unknown_course
from services.store.rows import as_row, from_row
from services.store.store_secrets import LearnerPseudonyms
from services.store.transactions import ClockedStore, put_row, reading, write, written
from vta.errors import Conflict, InvalidInput, NotWritable
from vta.faults import Fault
from vta.ports import Clock
from vta.types.answers import Answer, Turn
from vta.types.courses import CourseId, SessionId, TurnId
from vta.types.inbox import Feedback
from vta.types.questions import Question

_OF_SESSION = of_session(bindparam("course"), bindparam("session"))
_LEARNER = select(tables.sessions.c.learner_id).where(_OF_SESSION)
_TURNS = select_turns().where(_OF_SESSION).order_by(tables.turns.c.number.desc()).limit(bindparam("last"))
_OWN_TURNS = _TURNS.where(
    or_(tables.sessions.c.learner_id.is_(None), tables.sessions.c.learner_id == bindparam("learner"))
)
_SESSION = select(tables.sessions).where(tables.sessions.c.id == bindparam("session")).with_for_update()
_LAST_TURN = select(
    select(func.max(tables.turns.c.number))
    .where(tables.turns.c.session_id == bindparam("session"))
    .scalar_subquery(),
    select(tables.turns.c.id).where(tables.turns.c.id == bindparam("turn")).scalar_subquery(),
)
"""The number of a session's last turn, and a turn's id where it is there."""
_OPEN_SESSION, _ADD_TURN = insert(tables.sessions), insert(tables.turns)
_REVISION = select(tables.courses.c.revision).where(tables.courses.c.id == bindparam("of_course"))
_ADD_FACTS = insert(tables.turn_facts).values(revision=_REVISION.scalar_subquery())

_log = logging.getLogger(__name__)
DAY = timedelta(days=1)
_MOST = 2**31 - 1
"""Turns of a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A session by its first question, with the time of the last one.

    `ta_turns` wait for a real TA, or have an answer of one that was not seen yet.
    """

    session_id: SessionId
    title: str
    asked_at: datetime
    ta_turns: tuple[TurnId, ...] = ()


class SqlSessions(ClockedStore):
    """The port `SessionStore`, and the reads of instructors.

    A session belongs to one course, and from the first turn that names a learner to that learner. To
    everyone else it is not there: the error is the one for a session that never was. Learners are named by
    the platform's ids; the store has a pseudonym of each.
    """

    def __init__(self, engine: Engine, clock: Clock, learners: LearnerPseudonyms) -> None:
        super().__init__(engine, clock)
        self._learners = learners
        self._unstored: set[TurnId] = set()

    def turns(
        self,
        course_id: CourseId,
        session_id: SessionId,
        *,
        last: int | None = None,
        learner_id: str | None = None,
    ) -> tuple[Turn, ...]:
        values = {"course": course_id, "session": session_id, "last": _MOST if last is None else last}
        if learner_id is None:
            rows = self._rows(_TURNS, **values)
        else:
            rows = self._rows(_OWN_TURNS, learner=self._learners.pseudonym(course_id, learner_id), **values)
        turns = tuple(map(to_turn, rows))
        if not turns:
            raise unknown_session(course_id, session_id)
        return turns[::-1]

    def learner(self, course_id: CourseId, session_id: SessionId) -> str | None:
        """Whose session it is; None where it names no learner, `NotFound` as in `turns`."""
        row = self._row(_LEARNER, course=course_id, session=session_id)
        if row is None:
            raise unknown_session(course_id, session_id)
        return None if row.learner_id is None else str(row.learner_id)

    def day_ends(self, course_id: CourseId, learner_id: str, most: int) -> timedelta | None:
        """The wait of a learner who asked `most` questions of a course in 24 hours; None for anyone else."""
        sessions, turns, now = tables.sessions, tables.turns, self._clock.now()
        mine = sessions.c.course_id == course_id, sessions.c.learner_id == learner_id
        asked = select(turns.c.created_at).join_from(sessions, turns).where(*mine)
        lately = asked.where(turns.c.created_at > now - DAY).order_by(turns.c.created_at.desc())
        last = next(iter(self._rows(lately.offset(most - 1).limit(1))), None)
        return None if last is None else last.created_at + DAY - now

    def conversations(self, course_id: CourseId, learner_id: str, limit: int) -> tuple[Conversation, ...]:
        """The sessions of a learner's pseudonym in a course, the latest first."""
        sessions, turns = tables.sessions, tables.turns
        ends = (
            select(
                turns.c.session_id,
                func.min(turns.c.number).label("first"),
                func.max(turns.c.created_at).label("asked_at"),
            )
            .join_from(sessions, turns)
            .where(sessions.c.course_id == course_id, sessions.c.learner_id == learner_id)
            .group_by(turns.c.session_id)
            .order_by(func.max(turns.c.created_at).desc(), turns.c.session_id)
            .limit(limit)
            .subquery()
        )
        is_first = (turns.c.session_id == ends.c.session_id) & (turns.c.number == ends.c.first)
        query = select(ends.c.session_id, turns.c.question, ends.c.asked_at).join(turns, is_first)
        waiting = tables.waiting_questions
        unseen = select(turns.c.session_id, turns.c.id).join(waiting, waiting.c.turn_id == turns.c.id)
        unseen = unseen.join(ends, ends.c.session_id == turns.c.session_id).where(waiting.c.seen.is_(False))
        with reading(self._engine) as connection:
            found = connection.execute(query.order_by(ends.c.asked_at.desc(), ends.c.session_id)).all()
            with_ta = connection.execute(unseen.order_by(turns.c.number)).all()
        return tuple(
            Conversation(
                session_id=SessionId(row.session_id),
                title=row.question,
                asked_at=row.asked_at,
                ta_turns=tuple(TurnId(turn) for session, turn in with_ta if session == row.session_id),
            )
            for row in found
        )

    def learner_of_turn(self, course_id: CourseId, turn_id: TurnId) -> str | None:
        """Whose turn it is; None where its session names no learner, `NotFound` as in `feedback`."""
        query = select(tables.sessions.c.learner_id).join_from(tables.sessions, tables.turns)
        with reading(self._engine) as connection:
            require_turn(connection, course_id, turn_id)
            found = connection.execute(query.where(tables.turns.c.id == turn_id)).scalar()
        return None if found is None else str(found)

    def record(self, question: Question, answer: Answer, *, flagged: bool = False) -> Turn:
        """As the port says; a turn recorded before with the same words is that turn, not a second one.

        Where the store takes no writes, the turn is not stored, and `is_unstored` is true.
        `Conflict` where the turn's id was used for other words, `NotFound` for an unknown course and for a
        session of another course or learner.
        """
        if question.course_id != answer.course_id or question.session_id not in (None, answer.session_id):
            raise InvalidInput(Fault("session.mixed"))
        body = answer_to_json(answer)
        learner = question.learner_id and self._learners.pseudonym(question.course_id, question.learner_id)
        is_new = question.session_id is None

        def action(connection: Connection) -> Turn:
            nonlocal is_new
            # Insert first. On IntegrityError `write` runs this again, and then the session is looked up.
            if is_new:
                is_new = False
                self._open_session(connection, question.course_id, answer.session_id, learner)
                return self._append(connection, question, answer, body, number=1, flagged=flagged)
            self._enter_session(connection, question.course_id, answer.session_id, learner)
            last, known = connection.execute(
                _LAST_TURN, {"session": answer.session_id, "turn": answer.turn_id}
            ).one()
            if known is None:
                number = (last or 0) + 1
                return self._append(connection, question, answer, body, number=number, flagged=flagged)
            stored = connection.execute(select_turns().where(tables.turns.c.id == answer.turn_id)).one()
            if (stored.session_id, stored.question, stored.answer) != (
                answer.session_id,
                question.text,
                body,
            ):
                raise Conflict(Fault("session.recorded", turn=answer.turn_id))
            return to_turn(stored)

        try:
            return write(self._engine, action)
        except NotWritable as failure:
            _log.warning("a turn is answered and not stored: %s", failure.message)
            self._unstored.add(answer.turn_id)
            return new_turn(question, answer, number=0, at=self._clock.now(), flagged=flagged)

    def is_unstored(self, turn_id: TurnId) -> bool:
        """Did `record` fail to store the turn? True once."""
        found = turn_id in self._unstored
        self._unstored.discard(turn_id)
        return found

    def delete(self, course_id: CourseId, session_id: SessionId) -> None:
        """Remove the session with its turns, thumbs and questions for the TA; `NotFound` as in `turns`."""
        if not self._execute(delete(tables.sessions).filter_by(id=session_id, course_id=course_id)):
            raise unknown_session(course_id, session_id)

    @written
    def feedback(self, connection: Connection, course_id: CourseId, feedback: Feedback) -> None:
        """Store the thumbs; the last one counts. `NotFound` for a turn of another course."""
        row = as_row(feedback) | {"created_at": self._clock.now()}
        require_turn(connection, course_id, feedback.turn_id)
        put_row(connection, tables.feedback, {"turn_id": feedback.turn_id}, row)

    def reactions(self, course_id: CourseId, session_id: SessionId) -> dict[TurnId, TurnReaction]:
        """Of the turns of a session, those with a thumb or a question for the TA."""
        with reading(self._engine) as connection:
            rows = connection.execute(select_reactions(course_id, session_id))
            return {TurnId(row.id): from_row(TurnReaction, row) for row in rows}

    def voted_down(self, course_id: CourseId, limit: int) -> tuple[tuple[Turn, Feedback], ...]:
        """The turns that students put a thumb down for, newest thumbs first."""
        table, facts = tables.feedback, tables.turn_facts
        newest = (table.c.created_at.desc(), table.c.turn_id)
        ids = (
            select(table.c.turn_id)
            .join(facts, facts.c.turn_id == table.c.turn_id)
            .where(facts.c.course_id == course_id, table.c.rating == "down")
            .order_by(*newest)
            .limit(limit)
        )
        query = (
            select_turns()
            .add_columns(table.c.rating, table.c.reason, table.c.comment, table.c.turn_id)
            .join(table, table.c.turn_id == tables.turns.c.id)
            .where(table.c.turn_id.in_(ids))
            .order_by(*newest)
        )
        return tuple((to_turn(row), from_row(Feedback, row)) for row in self._rows(query))

    def latest_questions(self, course_id: CourseId, limit: int) -> tuple[Turn, ...]:
        """The last turns of a course, newest first."""
        facts = tables.turn_facts
        ids = (
            select(facts.c.turn_id)
            .where(facts.c.course_id == course_id)
            .order_by(facts.c.asked_at.desc(), facts.c.turn_id)
            .limit(limit)
        )
        turns = tables.turns.c
        newest = select_turns().where(turns.id.in_(ids)).order_by(turns.created_at.desc(), turns.id)
        return tuple(to_turn(row) for row in self._rows(newest))

    def _enter_session(
        self, connection: Connection, course_id: CourseId, session_id: SessionId, learner: str | None
    ) -> None:
        """Open the session or take it over, and hold it, so that its turns are written one at a time."""
        session = connection.execute(_SESSION, {"session": session_id}).one_or_none()
        if session is None:
            require_course(connection, course_id)
            self._open_session(connection, course_id, session_id, learner)
        elif session.course_id != course_id or (
            None not in (session.learner_id, learner) and session.learner_id != learner
        ):
            is_course = find_course(connection, course_id) is not None
            raise unknown_session(course_id, session_id) if is_course else unknown_course(course_id)
        elif session.learner_id is None and learner is not None:
            change = update(tables.sessions).filter_by(id=session_id)
            connection.execute(change.values(learner_id=learner))

    def _open_session(
        self, connection: Connection, course_id: CourseId, session_id: SessionId, learner: str | None
    ) -> None:
        opened = {"course_id": course_id, "learner_id": learner, "created_at": self._clock.now()}
        connection.execute(_OPEN_SESSION, {"id": session_id, **opened})

    def _append(
        self,
        connection: Connection,
        question: Question,
        answer: Answer,
        body: object,
        *,
        number: int,
        flagged: bool,
    ) -> Turn:
        turn = new_turn(question, answer, number=number, at=self._clock.now(), flagged=flagged)
        row = as_row(turn) | {"answer": body}
        del row["course_id"]  # that of the session
        connection.execute(_ADD_TURN, row)
        connection.execute(_ADD_FACTS, {"of_course": turn.course_id, **facts_of(turn, question)})
        return turn
