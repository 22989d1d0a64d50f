"""A set of the benchmark: conversations of students about courses, with what a right reply holds."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any

from lab.evaluation.labelled_rows import Row, place_of, read_rows
from lab.evaluation.rows import question_of, texts_of
from services.cli.output import read_text
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.languages import Language

SHIPPED = Path(__file__).parent / "sets"
COURSES = "courses.toml"
ATTACK = "attack"
Key = tuple[str, int]
"""Conversation and turn."""
OFF = "off"
"""Off topic: friendly words are as good as to say that the course does not know."""


class Answerable(StrEnum):
    """Whether the course's files answer the question, or there is nothing to look up."""

    YES = "yes"
    NO = "no"
    CHAT = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchCourse:
    """A course of a set: where its files come from, and how an assistant's course is made of them.

    `files` matches the paths in the archive that are fetched, `sha256` is `files_hash` over them.
    """

    id: str
    name: str
    language: Language
    field: str
    domains: tuple[str, ...]
    archive: str
    licence: str
    files: re.Pattern[str]
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTurn:
    """One question of a student, and the rubric of its reply.

    `must` are facts, each by alternative patterns over the reply's normalised text (`scoring.normalised`);
    `must_not` are patterns of what makes it wrong; `sources` are texts, one of which stands in the title,
    document or headings of a right first citation; `longest` are the characters of a good reply.
    """

    course: str
    conversation: str
    turn: int
    question: str
    kind: str
    answerable: Answerable
    must: tuple[tuple[re.Pattern[str], ...], ...]
    must_not: tuple[re.Pattern[str], ...]
    sources: tuple[str, ...]
    longest: int

    @property
    def key(self) -> Key:
        return self.conversation, self.turn


@dataclass(frozen=True, slots=True)
class BenchSet:
    """Courses, and the conversations about them in their order.

    The hash is of all questions, not of their rubrics, so that replies can be scored again by better ones.
    """

    courses: tuple[BenchCourse, ...]
    conversations: tuple[tuple[BenchTurn, ...], ...]
    sha256: str

    def course(self, course_id: str) -> BenchCourse:
        return next(each for each in self.courses if each.id == course_id)


def read_set(folder: Path, *, only: Sequence[str] = (), every: int = 1) -> BenchSet:
    """The set in a folder: `courses.toml`, and COURSE.jsonl for each course that it names.

    Of the courses in `only`, or of all, each `every`th conversation. `InvalidInput` names file and line.
    """
    chosen = read_courses(folder, only=only)
    turns = [
        turn
        for course in read_courses(folder)
        for turn in _read_turns(course.id, folder / f"{course.id}.jsonl")
    ]
    asked = json.dumps([(turn.conversation, turn.turn, turn.question) for turn in turns], ensure_ascii=False)
    kept = {course.id for course in chosen}
    of_chosen = (turn for turn in turns if turn.course in kept)
    conversations = tuple(tuple(of) for _, of in groupby(of_chosen, key=lambda turn: turn.conversation))
    return BenchSet(chosen, conversations[::every], hashlib.sha256(asked.encode()).hexdigest()[:16])


def read_courses(folder: Path, *, only: Sequence[str] = ()) -> tuple[BenchCourse, ...]:
    """The courses of a set, or of those the ones in `only`."""
    file = folder / COURSES
    try:
        table = tomllib.loads(read_text(file))
        courses = tuple(_course(name, row) for name, row in table.items())
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError, re.error) as error:
        raise InvalidInput(
            Fault("bench.courses", file=str(file), reason=str(error)), path=str(file)
        ) from error
    unknown = set(only) - {course.id for course in courses}
    if unknown:
        raise InvalidInput(Fault("bench.no_course", file=str(file), course=min(unknown)), field="course")
    return tuple(course for course in courses if not only or course.id in only)


def _course(name: str, row: Mapping[str, Any]) -> BenchCourse:
    texts = ("name", "field", "archive", "licence", "sha256")
    return BenchCourse(
        id=name,
        language=Language(row["language"]),
        domains=tuple(row["domains"]),
        files=re.compile(row["files"]),
        **{field: row[field] for field in texts},
    )


def _read_turns(course: str, file: Path) -> list[BenchTurn]:
    fields = ("conversation", "turn", "question", "kind", "answerable", "must", "longest")
    turns: list[BenchTurn] = []
    for number, row in enumerate(read_rows(file, fields), start=1):
        turn = _turn(course, row, place_of(file, number))
        before = turns[-1] if turns else None
        follows = before is not None and before.conversation == turn.conversation
        if turn.turn != (before.turn + 1 if before is not None and follows else 0):
            raise InvalidInput(Fault("bench.order", place=place_of(file, number)), field="turn")
        turns.append(turn)
    return turns


def _turn(course: str, row: Row, place: Fault) -> BenchTurn:
    answerable = {True: "yes", False: "no"}.get(row["answerable"], row["answerable"])  # type: ignore[call-overload]
    if answerable not in set(Answerable):
        raise InvalidInput(Fault("bench.answerable", place=place), field="answerable")
    must, turn, longest = row["must"], row["turn"], row["longest"]
    if not isinstance(must, list):
        raise InvalidInput(Fault("data.not_texts", place=place, field="must"), field="must")
    if not isinstance(turn, int) or not isinstance(longest, int):
        raise InvalidInput(Fault("bench.not_number", place=place), field="turn")
    return BenchTurn(
        course=course,
        conversation=str(row["conversation"]),
        turn=turn,
        question=question_of(row, place),
        kind=str(row["kind"]),
        answerable=Answerable(answerable),
        must=tuple(_patterns({"must": fact}, "must", place) for fact in must),
        must_not=_patterns(row, "must_not", place),
        sources=texts_of(row, "sources", place),
        longest=longest,
    )


def _patterns(row: Row, field: str, place: Fault) -> tuple[re.Pattern[str], ...]:
    try:
        return tuple(re.compile(each, re.IGNORECASE | re.DOTALL) for each in texts_of(row, field, place))
    except re.error as error:
        raise InvalidInput(
            Fault("bench.pattern", place=place, field=field, reason=str(error)), field=field
        ) from error
