"""The six classes of Table 1 of the LittleMu paper, and labelled questions as they are read from files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import Field, PlainValidator
from pydantic_core import PydanticCustomError

from intent.encoding import TurnText
from lab.evaluation.rows import Cell, numbered_rows
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


def _label(name: object) -> IntentLabel:
    """The class named in Chinese as in the VTA data, or plainly."""
    label = CATEGORIES.get(str(name).strip())
    if label is None:
        known = {"name": str(name), "known": ", ".join(CATEGORIES)}
        raise PydanticCustomError("category", "unknown category '{name}'; known are {known}", known)
    return label


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: int
    session_id: int | str
    question: Cell | None
    category: Annotated[IntentLabel, PlainValidator(_label)]
    previous: str | None = None
    course: str | None = None
    weight: Annotated[float, Field(gt=0, le=1000)] = 1.0

    @property
    def text(self) -> str:
        """The question; empty for one that is null or blank."""
        return self.question if self.question and self.question.strip() else ""


def to_turns(rows: Sequence[LabelledQuestion]) -> list[TurnText]:
    """What the classifier sees of labelled rows."""
    return [TurnText(question=row.question, previous=row.previous, course=row.course) for row in rows]


def read_labelled(path: Path) -> LabelledData:
    """Read JSON Lines `{id, question, session_id, category, previous?, course?, weight?}`.

    Where `previous` is absent it is the question before in the same session, in the order of the ids.
    A question that is null or blank is left out and its line kept in `blank_lines`; every other fault is
    `InvalidInput` naming path, line and field.
    """
    if path.suffix.lower() == ".xlsx":
        raise InvalidInput(Fault("intent.labels_xlsx").at(path.name), path=str(path))
    rows = list(numbered_rows(path, _Row))
    asked = [row for _, row in rows if row.text]
    if not asked:
        raise InvalidInput(Fault("intent.no_labels").at(path.name))
    return LabelledData(
        name=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        rows=_link_turns(asked),
        blank_lines=tuple(line for line, row in rows if not row.text),
    )


def _link_turns(rows: Sequence[_Row]) -> tuple[LabelledQuestion, ...]:
    linked: list[LabelledQuestion] = []
    ordered = sorted(rows, key=lambda row: (str(row.session_id), row.id))
    for session_id, session in groupby(ordered, key=lambda row: str(row.session_id)):
        before = ""
        for row in session:
            turn = LabelledQuestion(
                question=row.text,
                label=row.category,
                session_id=session_id,
                previous=before if row.previous is None else row.previous,
                course=row.course or "",
                weight=row.weight,
            )
            linked.append(turn)
            before = row.text
    return tuple(linked)
