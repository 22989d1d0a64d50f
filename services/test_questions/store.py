"""The test questions of courses and their last runs in the relational store, read and changed as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, delete, select, update

from services.store import tables
from services.store.course_rows import hold_course, require_course
from services.store.transactions import ClockedStore, put_row, reading, written
from vta.dialogue.question import check_question
from vta.errors import InvalidInput
from vta.faq import comparison_key
from vta.faults import Fault
from vta.types.answers import Citation, Route, Turn
from vta.types.courses import CourseId

MOST, LONGEST = 300, 1000
"""Test questions of a course, and characters of a place and of all words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTest:
    """A question and what its answer must have: a first citation of a place, words in its text, or both.

    `place` is a document, one with "#" and the title of a passage in it, or "/" and the id of a pair of no
    document, as of an FAQ entry. `id` is that of the question's wording.
    """

    id: str = ""
    question: str
    place: str = ""
    words: tuple[str, ...] = ()
    made_by: str = ""
    made_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The answer to the test question `id` in a run; the place is that of its first citation."""

    id: str
    route: Route
    sentence: str
    place: str
    right: bool

    @property
    def visible(self) -> tuple[object, ...]:
        """What makes two outcomes different; a sentence may tell how far away a date is."""
        return self.right, self.route, self.place


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

    @property
    def rows(self) -> list[tuple[CourseTest, Outcome | None, Outcome | None]]:
        """Each test question with its outcome now, and the one before where that differs."""
        of_runs = [{each.id: each for each in run.outcomes} for run in self.runs]
        now, before = [*of_runs, {}, {}][:2]
        found = [(test, now.get(test.id), before.get(test.id)) for test in self.tests]
        return [(t, n, b if n and b and n.visible != b.visible else None) for t, n, b in found]

    def words_of(self, question: str) -> tuple[str, ...]:
        """The words that the test question which asks the same expects; none where there is none."""
        asked = comparison_key(question)
        return next((each.words for each in self.tests if comparison_key(each.question) == asked), ())

    @property
    def worse(self) -> int:
        """How many were right before and are wrong now."""
        return sum(bool(now and before and before.right and not now.right) for _, now, before in self.rows)

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

    def keep(self, course_id: CourseId, given: CourseTest, *, instead: str = "") -> CourseTest:
        """Store a test question in the place of the one that asks the same, and of the one with an id.

        `InvalidInput` as in `clean`, and for one too many.
        """
        kept = clean(replace(given, made_at=self._clock.now()))
        self._change(course_id, lambda tests: (*_without(tests, kept.id, instead), kept))
        return kept

    def remove(self, course_id: CourseId, id: str) -> None:
        self._change(course_id, lambda tests: _without(tests, id))

    def ask_for_run(self, course_id: CourseId) -> None:
        """Let the test questions of a course be run, though nothing has changed."""
        self._execute(update(tables.test_questions).filter_by(course_id=course_id).values(stamp=""))

    def stamps(self, course_id: CourseId | None = None) -> Mapping[CourseId, tuple[str, object]]:
        """The stamp of the last run and the facts of a course, or of each, that has test questions."""
        table, facts = tables.test_questions.c, tables.course_facts.c
        query = select(table.course_id, table.stamp, facts.time_zone, facts.facts).outerjoin_from(
            tables.test_questions, tables.course_facts, table.course_id == facts.course_id
        )
        if course_id is not None:
            query = query.where(table.course_id == course_id)
        return {CourseId(row.course_id): (row.stamp, (row.time_zone, row.facts)) for row in self._rows(query)}

    @written
    def record(
        self, connection: Connection, course_id: CourseId, run: Run, *, stamp: str, of: tuple[CourseTest, ...]
    ) -> None:
        """Store a run of the tests `of`; where there are others by now, another run is due."""
        found = _held(connection, course_id)
        runs = _runs.dump_python(found.with_run(run), mode="json")
        values = {"runs": runs, "stamp": stamp if found.tests == of else ""}
        connection.execute(update(tables.test_questions).filter_by(course_id=course_id).values(**values))

    @written
    def _change(
        self,
        connection: Connection,
        course_id: CourseId,
        edit: Callable[[tuple[CourseTest, ...]], tuple[CourseTest, ...]],
    ) -> None:
        put_tests(connection, course_id, edit(_held(connection, course_id).tests))


def place_of(citations: Sequence[Citation]) -> str:
    """The place of the first citation as in `CourseTest`; empty where there is none."""
    for first in citations[:1]:
        title = " ".join(first.title.split("\n")[0].split())
        return f"{first.document}#{title}" if first.document else f"/{first.pair_id}"
    return ""


def answered_test(turn: Turn, made_by: str, known: CourseTests) -> CourseTest:
    """A turn as a test question: it expects the place that its answer cites first, and the `known` words."""
    question, place = turn.answer.standalone_question or turn.question, place_of(turn.answer.citations)
    return CourseTest(question=question, place=place, words=known.words_of(question), made_by=made_by)


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
    place = " ".join(given.place.split())
    words = tuple(dict.fromkeys(" ".join(each.split()) for each in given.words if each.strip()))
    for name, text in (("place", place), ("words", "\n".join(words))):
        if len(text) > LONGEST or "\0" in text:
            raise InvalidInput(Fault("test_question.length", name=name, most=LONGEST), field=name)
    if not place and not words:
        raise InvalidInput(Fault("test_question.nothing"), field="place")
    id = sha256(comparison_key(given.question).encode()).hexdigest()[:16]
    return replace(given, id=id, question=given.question.strip(), place=place, words=words)


def _held(connection: Connection, course_id: CourseId) -> CourseTests:
    """The test questions of a course, held until the transaction ends; `NotFound` for an unknown course."""
    hold_course(connection, course_id)
    return read_tests(connection, course_id)


def _without(tests: tuple[CourseTest, ...], *ids: str) -> tuple[CourseTest, ...]:
    return tuple(each for each in tests if each.id not in ids)
