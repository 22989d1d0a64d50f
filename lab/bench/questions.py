"""A set of the benchmark: conversations of students about courses, with what a right reply holds."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainValidator
from pydantic_core import PydanticCustomError

from lab.evaluation.rows import AskedText, Cell, Listed, Texts, numbered_rows
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


def _named(given: object) -> object:
    return (Answerable.YES if given else Answerable.NO) if isinstance(given, bool) else given


def _compiled(text: object) -> re.Pattern[str]:
    if not isinstance(text, str):
        raise PydanticCustomError("pattern", "no regular expression: must be a text")
    try:
        return re.compile(text, re.IGNORECASE | re.DOTALL)
    except re.error as error:
        raise PydanticCustomError(
            "pattern", "no regular expression: {reason}", {"reason": str(error)}
        ) from error


Patterns = Annotated[tuple[Annotated[re.Pattern[str], PlainValidator(_compiled)], ...], Listed]
"""A pattern or a list of patterns."""


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

    course: str = ""
    conversation: Cell
    turn: int
    question: AskedText
    kind: Cell
    answerable: Annotated[Answerable, BeforeValidator(_named)]
    must: tuple[Patterns, ...]
    must_not: Patterns = ()
    sources: Texts = ()
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
    turns: list[BenchTurn] = []
    for number, row in numbered_rows(file, BenchTurn):
        before = turns[-1] if turns else None
        follows = before is not None and before.conversation == row.conversation
        if row.turn != (before.turn + 1 if before is not None and follows else 0):
            raise InvalidInput(Fault("bench.order").at(str(file), number, field="turn"))
        turns.append(replace(row, course=course))
    return turns
