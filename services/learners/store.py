"""The rows of learners: exported on request, and erased when they are old."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue
from sqlalchemy import Connection, Engine, Row, delete, exists, select

from services.courses.settings_store import read_settings
from services.dialogue.rows import fact_columns, require_turn, select_turns, to_turn
from services.questions.rows import read_messages
from services.rendering.answer_json import answer_to_json
from services.store import tables
from services.store.rows import from_row
from services.store.store_secrets import LearnerPseudonyms
from services.store.transactions import ClockedStore, SqlStore, put_row, reading, write, written_patiently
from vta.errors import Conflict
from vta.faults import Fault
from vta.ports import Clock
from vta.types.answers import Route, Turn
from vta.types.courses import CourseId, TurnId
from vta.types.inbox import Feedback, MessageKind, QuestionMessage, QuestionState
from vta.types.questions import Conditions, Position


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchConsent:
    """The last decision of a learner on the use of their conversations, and the `study` that they read."""

    given: bool
    study: str
    decided_at: datetime


class SqlPrivacy(ClockedStore):
    """Reads all rows of a learner, keeps what they decide on them, and erases those that are too old."""

    def __init__(self, engine: Engine, clock: Clock, learners: LearnerPseudonyms) -> None:
        super().__init__(engine, clock)
        self._learners = learners

    def export(self, course_id: CourseId, learner_id: str) -> list[JsonValue]:
        """The sessions of a learner in a course with their turns, as JSON; none for one who never asked."""
        sessions, thumbs, waiting = tables.sessions, tables.feedback, tables.waiting_questions
        facts, guard, reviews = tables.turn_facts, tables.guard_audit, tables.answer_reviews
        names = self._learners.names(course_id, learner_id)
        mine = (sessions.c.course_id == course_id, sessions.c.learner_id.in_(names))
        query = (
            select_turns()
            .add_columns(thumbs.c.rating, thumbs.c.reason, thumbs.c.comment)
            .add_columns(*fact_columns(Position), *fact_columns(Conditions))
            .add_columns(waiting.c.id.label("question_id"), waiting.c.reason.label("ta_reason"))
            .add_columns(waiting.c.state.label("ta_state"))
            .add_columns(waiting.c.standalone_question.label("ta_standalone"))
            .add_columns(waiting.c.email.label("ta_email"))
            .add_columns(reviews.c.mark.label("review_mark"), reviews.c.note.label("review_note"))
            .add_columns(reviews.c.second_mark, reviews.c.second_note)
            .add_columns(guard.c.kind.label("guard_kind"), guard.c.malicious.label("guard_malicious"))
            .outerjoin(thumbs, thumbs.c.turn_id == tables.turns.c.id)
            .outerjoin(waiting, waiting.c.turn_id == tables.turns.c.id)
            .outerjoin(facts, facts.c.turn_id == tables.turns.c.id)
            .outerjoin(reviews, reviews.c.turn_id == tables.turns.c.id)
            .outerjoin(guard, guard.c.turn_id == tables.turns.c.id)
            .where(*mine)
            .order_by(tables.turns.c.number)
        )
        opened = select(sessions).where(*mine).order_by(sessions.c.created_at, sessions.c.id)
        turns: defaultdict[str, list[JsonValue]] = defaultdict(list)
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
            threads = read_messages(connection, [row.question_id for row in rows if row.question_id])
            for row in rows:
                turns[row.session_id].append(_turn_json(row, threads.get(row.question_id, ())))
            return [
                {"session_id": row.id, "created_at": row.created_at.isoformat(), "turns": turns[row.id]}
                for row in connection.execute(opened)
            ]

    def consent(self, course_id: CourseId, learner_id: str) -> ResearchConsent | None:
        """The learner's decision on research in a course; None for one who did not decide."""
        table = tables.research_consents
        named = table.c.learner_id.in_(self._learners.names(course_id, learner_id))
        last = select(table).where(table.c.course_id == course_id, named).order_by(table.c.decided_at.desc())
        row = self._row(last.limit(1))
        return row and from_row(ResearchConsent, row)

    def decide(self, course_id: CourseId, learner_id: str, *, given: bool, study: str) -> None:
        """Keep a learner's decision in the place of an earlier one.

        `Conflict` for a consent to another study than the course has now; a refusal is always taken.
        """
        decided = {"given": given, "study": study, "decided_at": self._clock.now()}
        key = {"course_id": course_id, "learner_id": self._learners.pseudonym(course_id, learner_id)}

        def action(connection: Connection) -> None:
            if given and read_settings(connection, course_id).research != study:
                raise Conflict(Fault("research.other_study"))
            put_row(connection, tables.research_consents, key, decided)

        write(self._engine, action)

    def erase(self, course_id: CourseId, learner_id: str, *, vouched: bool) -> int:
        """Delete a learner's sessions in a course with all their rows, and their decision on research.

        Returns the number of sessions.

        `vouched` includes those of a learner whom the platform vouched for.
        """
        names = self._learners.names if vouched else self._learners.unvouched_names
        mine = tables.sessions.c.learner_id.in_(names(course_id, learner_id))
        query = delete(tables.sessions).where(tables.sessions.c.course_id == course_id, mine)

        def action(connection: Connection) -> int:
            consents = tables.research_consents
            named = consents.c.learner_id.in_(names(course_id, learner_id))
            connection.execute(delete(consents).where(consents.c.course_id == course_id, named))
            return connection.execute(query).rowcount

        return write(self._engine, action, patient=True)

    @written_patiently
    def sweep(self, connection: Connection, days: int) -> None:
        """Erase the turns of all courses that are older than `days`, and empty sessions.

        Thumbs, questions for the TA, reviews, notes of the guard and facts go with their turns.
        """
        before = self._clock.now() - timedelta(days=days)
        turns, sessions = tables.turns, tables.sessions
        old = delete(turns).where(turns.c.created_at < before)
        left = ~exists().where(turns.c.session_id == sessions.c.id)
        empty = delete(sessions).where(sessions.c.created_at < before, left)
        for statement in (old, empty):
            connection.execute(statement)


def _turn_json(row: Row[Any], messages: Sequence[QuestionMessage]) -> JsonValue:
    """A turn with its place in the course, its thumb, and the TAs' part."""
    turn = to_turn(row)
    return {
        "turn_id": turn.id,
        "number": turn.number,
        "asked_at": turn.created_at.isoformat(),
        "question": turn.question,
        "answer": answer_to_json(turn.answer),
        "position": asdict(from_row(Position, row)),
        "feedback": {"rating": row.rating, "reason": row.reason, "comment": row.comment},
        "ta_question": row.ta_state,
        "ta_reason": row.ta_reason,
        "ta_standalone_question": row.ta_standalone,
        "ta_email": row.ta_email,
        "ta_messages": [
            {
                "from": "learner" if each.kind is MessageKind.STUDENT else "ta",
                "kind": each.kind,
                "text": each.text,
                "at": each.created_at.isoformat(),
            }
            for each in messages
        ],
        "review": {"mark": row.review_mark, "note": row.review_note},
        "second_review": {"mark": row.second_mark, "note": row.second_note},
        "conditions": asdict(from_row(Conditions, row)),
        "guard": {"kind": row.guard_kind, "malicious": row.guard_malicious},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedTurn:
    """A turn with its place in the course, its thumb, and the question for the TA that it became, if any.

    `route` is the one that analytics count.
    """

    turn: Turn
    route: Route
    position: Position
    thumb: Feedback | None
    question_id: str | None
    question_state: QuestionState | None
    faq_id: str | None


class SqlConversationLog(SqlStore):
    """Reads conversations by one of their turns: the id of a session would let its bearer continue it."""

    def conversation(self, course_id: CourseId, turn_id: TurnId) -> tuple[LoggedTurn, ...]:
        """The turns of the conversation that a turn belongs to, in order; `NotFound` as in `require_turn`."""
        facts, thumbs, waiting = tables.turn_facts, tables.feedback, tables.waiting_questions
        session = select(tables.turns.c.session_id).where(tables.turns.c.id == turn_id).scalar_subquery()
        query = (
            select_turns()
            .add_columns(facts.c.route, *fact_columns(Position))
            .add_columns(thumbs.c.turn_id, thumbs.c.rating, thumbs.c.reason, thumbs.c.comment)
            .add_columns(waiting.c.id.label("question_id"), waiting.c.state.label("question_state"))
            .add_columns(waiting.c.faq_id)
            .join(facts, facts.c.turn_id == tables.turns.c.id)
            .outerjoin(thumbs, thumbs.c.turn_id == tables.turns.c.id)
            .outerjoin(waiting, waiting.c.turn_id == tables.turns.c.id)
            .where(tables.turns.c.session_id == session)
            .order_by(tables.turns.c.number)
        )
        with reading(self._engine) as connection:
            require_turn(connection, course_id, turn_id)
            return tuple(_logged(row) for row in connection.execute(query))


def _logged(row: Row[Any]) -> LoggedTurn:
    thumb = from_row(Feedback, row) if row.rating else None
    return from_row(LoggedTurn, row, turn=to_turn(row), position=from_row(Position, row), thumb=thumb)
