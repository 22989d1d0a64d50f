"""The rows that analytics count, and the marks of reviewed answers, in the relational store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, case, func, insert, select

from services.dialogue.rows import given_to_study, require_turn, select_turns, to_turn
from services.store import tables
from services.store.course_rows import hold_course
from services.store.rows import as_row, from_row
from services.store.transactions import ClockedStore, put_row, reading, written
from vta.analytics.facts import Mark, TurnFact
from vta.errors import Conflict
from vta.faults import Fault
from vta.types.answers import Route, Turn
from vta.types.courses import CourseId, TurnId
from vta.types.inbox import QuestionState
from vta.types.questions import Suspicion

_ROUTES = {route.value: route for route in Route}
_MARKS = {mark.value: mark for mark in Mark}


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A TA's mark for an answer."""

    mark: Mark
    note: str
    reviewer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledAnswer:
    """A turn on the review sheet of its day, with the marks of at most two people; the first one counts."""

    turn: Turn
    reviews: tuple[Review, ...]

    def by(self, reviewer: str) -> Review | None:
        """The mark that a person gave."""
        return next((each for each in self.reviews if each.reviewer == reviewer), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Counts of one arm of an experiment: `handed_on` to a real TA, `up` of those `rated`.

    `upvoters`, `downvoters` and `askers` (of a real TA) are numbers of people.
    """

    questions: int = 0
    people: int = 0
    rated: int = 0
    up: int = 0
    handed_on: int = 0
    upvoters: int = 0
    downvoters: int = 0
    askers: int = 0


class SqlAnalytics(ClockedStore):
    """The rows of analytics, and the review sheet. Days are those of UTC."""

    def facts(
        self, course_id: CourseId, first: date, last: date, *, for_research: bool = False
    ) -> tuple[TurnFact, ...]:
        """The turns of a course that were asked on these days, both included, in order of asking.

        `for_research` leaves those that were given to the course's study.
        """
        facts = tables.turn_facts
        query = _select_facts().where(_asked(course_id, first, last))
        if for_research:
            query = query.where(given_to_study())
        query = query.order_by(facts.c.asked_at, facts.c.session_id, facts.c.number)
        with reading(self._engine) as connection:
            return tuple(map(_fact, connection.execute(query)))

    def state(self, course_id: CourseId, first: date, last: date) -> tuple[object, ...]:
        """Differs whenever turns, thumbs, questions for the TA or reviews of these days have changed."""
        facts = tables.turn_facts
        asked = _asked(course_id, first, last)
        counted = select(func.count(), func.max(facts.c.asked_at)).select_from(facts).where(asked)
        with reading(self._engine) as connection:
            state: list[object] = [*connection.execute(counted).one()]
            for table, moment in (
                (tables.feedback, tables.feedback.c.created_at),
                (tables.waiting_questions, tables.waiting_questions.c.created_at),
                (tables.answer_reviews, tables.answer_reviews.c.reviewed_at),
            ):
                joined = table.join(facts, facts.c.turn_id == table.c.turn_id)
                of_table = select(func.count(), func.max(moment)).select_from(joined).where(asked)
                state += connection.execute(of_table).one()
            waiting = tables.waiting_questions
            settled = select(func.count(waiting.c.resolved_at), func.max(waiting.c.resolved_at))
            joined = waiting.join(facts, facts.c.turn_id == waiting.c.turn_id)
            state += connection.execute(settled.select_from(joined).where(asked)).one()
        return tuple(state)

    def sample(self, course_id: CourseId, day: date, size: int) -> tuple[SampledAnswer, ...]:
        """The review sheet of a day: the same answers each time it is asked for, drawn as by lot."""
        facts = tables.turn_facts
        ids = select(facts.c.turn_id).where(_asked(course_id, day, day))
        with reading(self._engine) as connection:
            drawn = draw(course_id, day, [str(each) for each in connection.scalars(ids)], size)
            return _sampled(connection, drawn)

    def days_around(self, course_id: CourseId, day: date) -> tuple[date | None, date | None]:
        """The last day before and the first day after on which something was asked, if there are such."""
        asked_at, here = tables.turn_facts.c.asked_at, tables.turn_facts.c.course_id == course_id
        begin, end = datetime.combine(day, time(), UTC), datetime.combine(day, time.max, UTC)
        before = select(func.max(asked_at)).where(here, asked_at < begin)
        after = select(func.min(asked_at)).where(here, asked_at > end)
        found = [self._scalar(query) for query in (before, after)]
        earlier, later = (None if moment is None else moment.date() for moment in found)
        return earlier, later

    @written
    def review(self, connection: Connection, course_id: CourseId, reviews: Mapping[TurnId, Review]) -> None:
        """Store a TA's marks of turns in the place of their own, and beside that of one other person.

        `NotFound` for a turn of another course, `Conflict` where two others have marked one. All of them are
        stored, or none.
        """
        table = tables.answer_reviews
        hold_course(connection, course_id)
        for turn_id, review in reviews.items():
            require_turn(connection, course_id, turn_id)
            found = connection.execute(select(table).filter_by(turn_id=turn_id)).one_or_none()
            values = as_row(review) | {"reviewed_at": self._clock.now()}
            if found is not None and found.reviewer != review.reviewer:
                if found.second_reviewer not in (None, review.reviewer):
                    raise Conflict(Fault("console.two_marks"), field="mark")
                values = {f"second_{name}": value for name, value in as_row(review).items()}
            put_row(connection, table, {"turn_id": turn_id}, values)

    def marked_twice(self, course_id: CourseId) -> list[tuple[str, str]]:
        """The first and the second mark of each turn of a course that two people marked."""
        table, facts = tables.answer_reviews, tables.turn_facts
        query = select(table.c.mark, table.c.second_mark).join(facts, facts.c.turn_id == table.c.turn_id)
        found = self._rows(query.where(facts.c.course_id == course_id, table.c.second_mark.is_not(None)))
        return [(row.mark, row.second_mark) for row in found]

    def arms(self, course_id: CourseId, experiment: str) -> Mapping[str, Arm]:
        """The figures of each arm of an experiment, by its name: all that learners of it asked."""
        facts, sessions = tables.turn_facts, tables.sessions
        thumbs, waiting = tables.feedback, tables.waiting_questions
        person, is_up = sessions.c.learner_id, thumbs.c.rating == "up"
        query = (
            select(
                facts.c.arm,
                func.count().label("questions"),
                func.count(person.distinct()).label("people"),
                func.count(thumbs.c.rating).label("rated"),
                func.count(case((is_up, 1))).label("up"),
                func.count(waiting.c.id).label("handed_on"),
                func.count(case((is_up, person)).distinct()).label("upvoters"),
                func.count(case((thumbs.c.rating == "down", person)).distinct()).label("downvoters"),
                func.count(case((waiting.c.id.is_not(None), person)).distinct()).label("askers"),
            )
            .join_from(facts, sessions, sessions.c.id == facts.c.session_id)
            .outerjoin(thumbs, thumbs.c.turn_id == facts.c.turn_id)
            .outerjoin(waiting, waiting.c.turn_id == facts.c.turn_id)
            .where(facts.c.course_id == course_id, facts.c.experiment == experiment)
            .group_by(facts.c.arm)
        )
        return {row.arm: from_row(Arm, row) for row in self._rows(query)}


def _select_facts() -> Select[Any]:
    """The fields of a `TurnFact`, in their order."""
    facts, sessions = tables.turn_facts, tables.sessions
    thumbs, waiting, reviews = tables.feedback, tables.waiting_questions, tables.answer_reviews
    return (
        select(
            facts.c.turn_id,
            facts.c.session_id,
            sessions.c.learner_id,
            facts.c.asked_at,
            facts.c.question,
            facts.c.route,
            facts.c.failed,
            facts.c.milliseconds,
            facts.c.concepts,
            facts.c.video,
            facts.c.second,
            thumbs.c.rating,
            waiting.c.id.is_not(None),
            reviews.c.mark,
            facts.c.unit,
            case((waiting.c.state == QuestionState.WAITING.value, waiting.c.id)),
            waiting.c.resolved_at,
        )
        .select_from(facts)
        .join(sessions, sessions.c.id == facts.c.session_id)
        .outerjoin(thumbs, thumbs.c.turn_id == facts.c.turn_id)
        .outerjoin(waiting, waiting.c.turn_id == facts.c.turn_id)
        .outerjoin(reviews, reviews.c.turn_id == facts.c.turn_id)
    )


def _fact(row: Sequence[Any]) -> TurnFact:
    """Positional throughout: a report reads tens of thousands of these."""
    *asked, route, failed, milliseconds, concepts, video, second, rating, escalated, mark = row[:14]
    became = [_ROUTES[route], failed, milliseconds, tuple(concepts), video, second, rating, escalated]
    values: list[Any] = [*asked, *became, mark and _MARKS[mark], *row[14:]]
    return TurnFact(*values)


def draw(course_id: CourseId, day: date, turn_ids: Sequence[str], size: int) -> list[str]:
    """At most `size` of the turns, by the hash of course, day and turn: their order does not matter."""

    def lot(turn_id: str) -> str:
        return sha256(f"{course_id}\0{day.isoformat()}\0{turn_id}".encode()).hexdigest()

    return sorted(turn_ids, key=lot)[:size]


def _sampled(connection: Connection, turn_ids: Sequence[str]) -> tuple[SampledAnswer, ...]:
    table = tables.answer_reviews
    query: Select[Any] = (
        select_turns()
        .add_columns(*(column for column in table.c if column is not table.c.turn_id))
        .outerjoin(table, table.c.turn_id == tables.turns.c.id)
        .where(tables.turns.c.id.in_(turn_ids))
    )
    found = {
        row.id: SampledAnswer(turn=to_turn(row), reviews=_reviews(row)) for row in connection.execute(query)
    }
    return tuple(found[turn_id] for turn_id in turn_ids)


def _reviews(row: Row[Any]) -> tuple[Review, ...]:
    given = (row.mark, row.note, row.reviewer), (row.second_mark, row.second_note, row.second_reviewer)
    return tuple(Review(mark=Mark(mark), note=note, reviewer=who) for mark, note, who in given if mark)


def _asked(course_id: CourseId, first: date, last: date) -> ColumnElement[bool]:
    facts = tables.turn_facts
    begin = datetime.combine(first, time(), UTC)
    end = datetime.combine(last, time.max, UTC)
    return and_(facts.c.course_id == course_id, facts.c.asked_at.between(begin, end))


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedTurn:
    """A note of the guard; the question is that of the turn."""

    turn_id: TurnId
    kind: str
    malicious: float
    question: str
    created_at: datetime


class SqlGuardAudit(ClockedStore):
    """The port `GuardAudit`, and the notes of a course."""

    @written
    def flagged(self, connection: Connection, turn_id: TurnId, suspicion: Suspicion) -> None:
        """As the port says; a turn is noted once."""
        values = {"kind": suspicion.kind or "", "malicious": suspicion.malicious}

        noted, turns = tables.guard_audit, tables.turns
        if connection.execute(select(turns.c.id).filter_by(id=turn_id)).first() is None:
            return  # it could not be stored
        if connection.execute(select(noted).filter_by(turn_id=turn_id)).first() is None:
            row = {"turn_id": turn_id, "created_at": self._clock.now(), **values}
            connection.execute(insert(noted).values(row))

    def of_course(self, course_id: CourseId) -> tuple[FlaggedTurn, ...]:
        """The flagged turns of a course, oldest first."""
        noted, turns, sessions = tables.guard_audit, tables.turns, tables.sessions
        query = (
            select(noted, turns.c.question)
            .select_from(noted.join(turns).join(sessions))
            .where(sessions.c.course_id == course_id)
            .order_by(noted.c.created_at, noted.c.turn_id)
        )
        return tuple(from_row(FlaggedTurn, row) for row in self._rows(query))
