"""The six classes of Table 1 of the LittleMu paper, and labelled questions as they are read from files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from intent.encoding import TurnText
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.questions import IntentLabel

QUESTION_LABELS = frozenset({IntentLabel.SIMPLE, IntentLabel.COMPLEX, IntentLabel.PLATFORM})

CATEGORIES: Mapping[str, IntentLabel] = MappingProxyType(
    {
        "简单问题": IntentLabel.SIMPLE,
        "复杂问题": IntentLabel.COMPLEX,
        "平台、课程问题": IntentLabel.PLATFORM,
        "其他闲聊": IntentLabel.GENERAL_CHAT,
        "情绪闲聊": IntentLabel.EMOTIONAL_CHAT,
        "其他": IntentLabel.OTHER,
        **{label.value: label for label in IntentLabel},
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question with its class; `previous` is the student's question before it, or empty.

    `weight` is how much the row counts in training: a correction by an instructor may count more than 1.
    """

    question: str
    label: IntentLabel
    session_id: str
    previous: str = ""
    course: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledData:
    """The rows of one file, and the lines left out because their question is null or blank."""

    name: str
    sha256: str
    rows: tuple[LabelledQuestion, ...]
    blank_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: int
    line: int
    question: str | None
    previous: str | None
    course: str
    session_id: str
    label: IntentLabel
    weight: float


def to_turns(rows: Sequence[LabelledQuestion]) -> list[TurnText]:
    """What the classifier sees of labelled rows."""
    return [TurnText(question=row.question, previous=row.previous, course=row.course) for row in rows]


def read_label(name: str) -> IntentLabel:
    """The class named in Chinese as in the VTA data, or plainly; `InvalidInput` for any other name."""
    try:
        return CATEGORIES[name.strip()]
    except KeyError as error:
        known = ", ".join(CATEGORIES)
        raise InvalidInput(
            Fault("intent.unknown_category", name=name, known=known), field="category"
        ) from error


def read_labelled(path: Path) -> LabelledData:
    """Read JSON Lines `{id, question, session_id, category, previous?, course?, weight?}`.

    Where `previous` is absent it is the question before in the same session, in the order of the ids.
    A question that a spreadsheet made a number is taken as its text; one that is null or blank is left out
    and its line kept in `blank_lines`; every other fault is `InvalidInput` naming path, line and field.
    """
    if path.suffix.lower() == ".xlsx":
        raise InvalidInput(Fault("intent.labels_xlsx").at(path.name), path=str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidInput(
            Fault("intent.unreadable", path=str(path), reason=str(error.strerror)), path=str(path)
        ) from error
    return parse_labelled(content, path.name)


def parse_labelled(content: bytes, name: str) -> LabelledData:
    """As `read_labelled`, from the bytes of a file called `name`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInput(Fault("file.not_utf8").at(name, line)) from error
    lines = enumerate(text.split("\n"), start=1)
    rows = [_parse_row(line, number, name) for number, line in lines if line.strip()]
    if all(row.question is None for row in rows):
        raise InvalidInput(Fault("intent.no_labels").at(name))
    return LabelledData(
        name=name,
        sha256=hashlib.sha256(content).hexdigest(),
        rows=_link_turns(rows),
        blank_lines=tuple(row.line for row in rows if row.question is None),
    )


def _parse_row(text: str, line: int, name: str) -> _Row:
    def refused(field: str, fault: Fault) -> InvalidInput:
        return InvalidInput(fault.at(name, line, field=field))

    def read(field: str, kinds: tuple[type, ...], wanted: Fault, default: object = ...) -> object:
        value = row.get(field, default)
        if value is ...:
            raise refused(field, Fault("intent.field_missing"))
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise refused(field, Fault("intent.wrong_kind", wanted=wanted, given=f"{value!r:.80}"))
        return value

    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refused("", Fault("file.not_json")) from error
    if not isinstance(row, dict):
        raise refused("", Fault("file.no_object"))
    number = read("id", (int,), Fault("name.whole_number"))
    session = read("session_id", (int, str), Fault("name.whole_number_or_text"))
    question = read("question", (str, int, float, type(None)), Fault("name.text_number_or_null"))
    previous = read("previous", (str, type(None)), Fault("name.text"), None)
    course = read("course", (str, type(None)), Fault("name.text"), None)
    category = read("category", (str,), Fault("name.text"))
    weight = float(str(read("weight", (int, float), Fault("name.number"), 1.0)))
    if not 0 < weight <= 1000:
        raise refused("weight", Fault("intent.weight", weight=weight))
    try:
        label = read_label(str(category))
    except InvalidInput as error:
        raise refused("category", error.fault) from error
    blank = question is None or not str(question).strip()
    return _Row(
        id=int(str(number)),
        line=line,
        question=None if blank else str(question),
        previous=None if previous is None else str(previous),
        course=str(course or ""),
        session_id=str(session),
        label=label,
        weight=weight,
    )


def _link_turns(rows: Sequence[_Row]) -> tuple[LabelledQuestion, ...]:
    linked: list[LabelledQuestion] = []
    ordered = sorted(rows, key=lambda row: (row.session_id, row.id))
    for _, session in groupby(ordered, key=lambda row: row.session_id):
        before = ""
        for row in session:
            if row.question is None:
                continue
            turn = LabelledQuestion(
                question=row.question,
                label=row.label,
                session_id=row.session_id,
                previous=before if row.previous is None else row.previous,
                course=row.course,
                weight=row.weight,
            )
            linked.append(turn)
            before = row.question
    return tuple(linked)
