"""The test questions of courses and their last runs in the relational store, read and changed as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select, update

from services.store import tables
from services.store.course_rows import require_course
from services.store.transactions import ClockedStore, put_row, reading, write
from vta.dialogue.question import check_question
from vta.errors import InvalidInput
from vta.faq import comparison_key
from vta.faults import Fault
from vta.types.answers import Route
from vta.types.courses import CourseId

MOST, MOST_WORDS = 300, 20
"""Test questions of a course, and words of one."""
LONGEST_PLACE, LONGEST_WORD = 1000, 200
"""Characters of a place or heading, and of a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTest:
    """A question and what its answer must have: a first citation of a place, words in its text, or both.

    `place` is a document, or "/" and the id of a pair that has none, as of an FAQ entry; `heading` is the
    title of the passage in the document, empty for any.
    """

    question: str
    place: str = ""
    heading: str = ""
    words: tuple[str, ...] = ()
    made_by: str = ""
    made_at: datetime | None = None

    @property
    def id(self) -> str:
        """A digest of the question, 16 hex digits."""
        return sha256(comparison_key(self.question).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The answer to the test question `id` in a run; place and heading are of its first citation."""

    id: str
    route: Route
    sentence: str
    place: str
    heading: str
    right: bool

    @property
    def visible(self) -> tuple[object, ...]:
        """What makes two outcomes different; a sentence may tell how far away a date is."""
        return self.right, self.route, self.place, self.heading


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The outcomes of a course's test questions at a revision of the course."""

    at: datetime
    revision: int
    outcomes: tuple[Outcome, ...]

    def differs(self, other: Run) -> bool:
        """Whether a question of both has another outcome."""
        before = {each.id: each.visible for each in other.outcomes}
        return any(before.get(each.id, each.visible) != each.visible for each in self.outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTests:
    """The test questions of a course, oldest first, the last run, and the last before it that differs."""

    tests: tuple[CourseTest, ...] = ()
    runs: tuple[Run, ...] = ()

    def with_run(self, run: Run) -> tuple[Run, ...]:
        """The runs once another one is the last."""
        return (run, *(self.runs[:1] if self.runs and run.differs(self.runs[0]) else self.runs[1:]))


_tests, _runs = TypeAdapter(tuple[CourseTest, ...]), TypeAdapter(tuple[Run, ...])


class SqlTestQuestions(ClockedStore):
    """The test questions of all courses; a change of them asks for a run."""

    def read(self, course_id: CourseId) -> CourseTests:
        """Those of a course; `NotFound` for an unknown one."""
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            return read_tests(connection, course_id)

    def keep(self, course_id: CourseId, given: CourseTest) -> CourseTest:
        """Store a test question in the place of the one that asks the same; `InvalidInput` as in `clean`."""
        kept = clean(replace(given, made_at=self._clock.now()))

        def action(connection: Connection) -> None:
            _hold(connection, course_id)
            others = [each for each in read_tests(connection, course_id).tests if each.id != kept.id]
            put_tests(connection, course_id, (*others, kept))

        write(self._engine, action)
        return kept

    def remove(self, course_id: CourseId, id: str) -> None:
        """Remove a test question, if it is there."""

        def action(connection: Connection) -> None:
            _hold(connection, course_id)
            left = tuple(each for each in read_tests(connection, course_id).tests if each.id != id)
            put_tests(connection, course_id, left)

        write(self._engine, action)

    def ask_for_run(self, course_id: CourseId) -> None:
        """Let the test questions of a course be run, though nothing has changed."""
        self._execute(update(tables.test_questions).filter_by(course_id=course_id).values(stamp=""))

    def stamps(self) -> Mapping[CourseId, tuple[str, object]]:
        """The stamp of the last run and the facts of each course with test questions."""
        table, facts = tables.test_questions.c, tables.course_facts.c
        query = select(table.course_id, table.stamp, facts.time_zone, facts.facts).outerjoin_from(
            tables.test_questions, tables.course_facts, table.course_id == facts.course_id
        )
        return {CourseId(row.course_id): (row.stamp, (row.time_zone, row.facts)) for row in self._rows(query)}

    def record(self, course_id: CourseId, run: Run, *, stamp: str, of: tuple[CourseTest, ...]) -> None:
        """Store a run of the tests `of`; where there are others by now, another run is due."""

        def action(connection: Connection) -> None:
            _hold(connection, course_id)
            found = read_tests(connection, course_id)
            runs = _runs.dump_python(found.with_run(run), mode="json")
            values = {"runs": runs, "stamp": stamp if found.tests == of else ""}
            connection.execute(update(tables.test_questions).filter_by(course_id=course_id).values(**values))

        write(self._engine, action)


def read_tests(connection: Connection, course_id: CourseId) -> CourseTests:
    """The test questions and runs of a course. `InvalidInput` for damaged ones of a file."""
    row = connection.execute(select(tables.test_questions).filter_by(course_id=course_id)).one_or_none()
    if row is None:
        return CourseTests()
    try:
        return CourseTests(tests=_tests.validate_python(row.tests), runs=_runs.validate_python(row.runs))
    except ValidationError as error:
        raise InvalidInput(Fault("test_question.no_list"), field="tests") from error


def put_tests(connection: Connection, course_id: CourseId, tests: tuple[CourseTest, ...]) -> None:
    """Put these in the place of a course's test questions. `InvalidInput` for too many."""
    if len(tests) > MOST:
        raise InvalidInput(Fault("test_question.too_many", most=MOST), field="question")
    if not tests:
        connection.execute(delete(tables.test_questions).filter_by(course_id=course_id))
        return
    values: dict[str, Any] = {"tests": _tests.dump_python(tests, mode="json"), "stamp": ""}
    put_row(connection, tables.test_questions, {"course_id": course_id}, values)


def clean(given: CourseTest) -> CourseTest:
    """The test question in its stored form. `InvalidInput` names the first field that cannot be used."""
    check_question(given.question)
    place, heading = (" ".join(text.split()) for text in (given.place, given.heading))
    words = tuple(dict.fromkeys(" ".join(each.split()) for each in given.words if each.strip()))
    for name, texts, most in (
        ("place", (place,), LONGEST_PLACE),
        ("heading", (heading,), LONGEST_PLACE),
        ("words", words, LONGEST_WORD),
    ):
        if len(texts) > MOST_WORDS or any(len(each) > most or "\0" in each for each in texts):
            fault = Fault("test_question.length", name=name, most=most, many=MOST_WORDS)
            raise InvalidInput(fault, field=name)
    if not place and not words:
        raise InvalidInput(Fault("test_question.nothing"), field="place")
    heading = heading if place else ""
    return replace(given, question=given.question.strip(), place=place, heading=heading, words=words)


def _hold(connection: Connection, course_id: CourseId) -> None:
    """Let no other writer change the tests of a course until the transaction ends; else `NotFound`."""
    connection.execute(select(tables.courses.c.id).filter_by(id=course_id).with_for_update())
    require_course(connection, course_id)
