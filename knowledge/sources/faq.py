"""The rows of FAQ tables as pairs, whatever kind of file they stand in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.chunking import pair_id
from vta.errors import InvalidInput
from vta.text import normalise
from vta.types import Course, QAPair, Source

LONGEST_CELL = 20_000
"""Characters."""
MOST_ROWS = 200_000
MOST_VARIANTS = 200
"""Similar questions of one row, and likewise negative ones."""

QUESTION, ANSWER, SIMILAR, NEGATIVE = COLUMNS = (
    "question",
    "answer",
    "similar_questions",
    "negative_questions",
)
_ALSO_CALLED = {
    "问题": QUESTION,
    "答案": ANSWER,
    "回答": ANSWER,
    "相似问题": SIMILAR,
    "相似问法": SIMILAR,
    "反例问题": NEGATIVE,
    "反例": NEGATIVE,
}
_BETWEEN_VARIANTS = re.compile(r"[\n|｜]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqRow:
    """One row as it stands in the table; `line` counts from 1."""

    line: int
    question: str
    answer: str
    similar: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


def columns(header: Sequence[str], *, path: str, line: int) -> dict[str, int]:
    """Where each known column is; further ones are ignored. `InvalidInput` without question or answer."""
    names = [name.strip().lower().replace(" ", "_") for name in header]
    found: dict[str, int] = {}
    for index, name in enumerate(names):
        known = _ALSO_CALLED.get(name, name)
        if known in COLUMNS:
            found.setdefault(known, index)
    for column in (QUESTION, ANSWER):
        if column not in found:
            message = f"{path}, line {line}: the header {','.join(names)[:200]!r} has no column {column!r}"
            raise InvalidInput(message, path=path, line=line, field=column)
    return found


def row_of_cells(cells: Sequence[str], places: dict[str, int], *, line: int) -> FaqRow:
    """The row in the cells of a table; the variants of a cell stand on lines of their own or between |."""

    def cell(column: str) -> str:
        index = places.get(column, len(cells))
        return cells[index] if index < len(cells) else ""

    return FaqRow(
        line=line,
        question=cell(QUESTION),
        answer=cell(ANSWER),
        similar=tuple(_BETWEEN_VARIANTS.split(cell(SIMILAR))),
        negative=tuple(_BETWEEN_VARIANTS.split(cell(NEGATIVE))),
    )


def faq_pairs(rows: Iterable[FaqRow], *, path: str, course: Course) -> tuple[QAPair, ...]:
    """One pair a row. `InvalidInput` names the line of an empty, endless or repeated question."""
    pairs: list[QAPair] = []
    seen: dict[str, int] = {}
    for row in rows:
        if len(pairs) == MOST_ROWS:
            raise _fault(row, path, "the table", f"has more than {MOST_ROWS} rows", QUESTION)
        similar, negative = _variants(row, SIMILAR, path), _variants(row, NEGATIVE, path)
        for column, cell in ((QUESTION, row.question), (ANSWER, row.answer)):
            if reason := _reason(cell):
                raise _fault(row, path, f"the {column}", reason, column)
        key = normalise(row.question)
        if key in seen:
            reason = f"question as in line {seen[key]}; keep one of them"
            raise _fault(row, path, "the same", reason, QUESTION)
        seen[key] = row.line
        pairs.append(
            QAPair(
                id=pair_id(course.id, path, key),
                course_id=course.id,
                source=Source.FAQ,
                question=row.question.strip(),
                answer=row.answer.strip(),
                domains=course.domains,
                document=path,
                similar_questions=similar,
                negative_questions=negative,
            )
        )
    if not pairs:
        raise InvalidInput(f"{path}, line 1: holds no question", path=path, line=1)
    return tuple(pairs)


def _variants(row: FaqRow, column: str, path: str) -> tuple[str, ...]:
    """The variants without blank ones, each once."""
    given = row.similar if column == SIMILAR else row.negative
    found = {normalise(each): each.strip() for each in given if normalise(each)}
    if len(found) > MOST_VARIANTS:
        raise _fault(row, path, f"the column {column}", f"holds more than {MOST_VARIANTS}", column)
    for each in found.values():
        if reason := _reason(each):
            raise _fault(row, path, f"one of the {column}", reason, column)
    return tuple(found.values())


def _fault(row: FaqRow, path: str, what: str, reason: str, field: str) -> InvalidInput:
    message = f"{path}, line {row.line}: {what} {reason}"
    return InvalidInput(message, path=path, line=row.line, field=field)


def _reason(cell: str) -> str:
    if not normalise(cell):
        return "is empty"
    if len(cell) > LONGEST_CELL:
        return f"is longer than {LONGEST_CELL} characters"
    if any("\ud800" <= character <= "\udfff" for character in cell):
        return "holds half of a surrogate pair, which is no character"
    return ""
