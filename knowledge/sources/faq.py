"""The rows of FAQ tables as pairs, whatever kind of file they stand in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from knowledge.chunking import pair_id
from vta.errors import InvalidInput
from vta.faq import clean_draft, faq_pair
from vta.text import normalise
from vta.types import Course, FaqDraft, QAPair

MOST_ROWS = 200_000

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
    draft: FaqDraft


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
        draft=FaqDraft(
            question=cell(QUESTION),
            answer=cell(ANSWER),
            similar_questions=tuple(_BETWEEN_VARIANTS.split(cell(SIMILAR))),
            negative_questions=tuple(_BETWEEN_VARIANTS.split(cell(NEGATIVE))),
        ),
    )


OnFault = Callable[[InvalidInput], None]
"""Told of a row that cannot be used; the rows after it are read where it returns."""


def refuse(fault: InvalidInput) -> None:
    """The first row that cannot be used refuses the whole table."""
    raise fault


def faq_pairs(
    rows: Iterable[FaqRow], *, path: str, course: Course, on_fault: OnFault = refuse
) -> tuple[QAPair, ...]:
    """One pair a row. A fault names the line of an empty, endless or repeated question."""
    pairs: list[QAPair] = []
    seen: dict[str, int] = {}
    row = None
    for row in rows:
        if len(pairs) == MOST_ROWS:
            raise _fault(row, path, f"the table has more than {MOST_ROWS} rows", QUESTION)
        try:
            draft = clean_draft(row.draft)
        except InvalidInput as fault:
            on_fault(_fault(row, path, fault.message, fault.field))
            continue
        key = normalise(draft.question)
        if key in seen:
            message = f"the same question as in line {seen[key]}; keep one of them"
            on_fault(_fault(row, path, message, QUESTION))
            continue
        seen[key] = row.line
        pairs.append(faq_pair(draft, pair_id(course.id, path, key), course=course, document=path))
    if row is None:
        raise InvalidInput(f"{path}, line 1: holds no question", path=path, line=1)
    return tuple(pairs)


def _fault(row: FaqRow, path: str, reason: str, field: str | None) -> InvalidInput:
    return InvalidInput(f"{path}, line {row.line}: {reason}", path=path, line=row.line, field=field)
