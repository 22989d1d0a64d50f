"""The rows of FAQ tables, whatever kind of file they stand in, and the pairs they become.

One policy for every way in: a row that cannot be used, or asks what a row before it asks, is left out and
listed; the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from knowledge.chunking import pair_id
from vta.errors import InvalidInput
from vta.faq import bare, clean_draft, faq_pair
from vta.faults import Fault
from vta.text import normalise
from vta.types import Course, FaqDraft, QAPair, Rejection

MOST_ROWS = 200_000
MOST_LISTED = 1000
"""Rows left out that are listed one by one; further ones are counted."""
HEADER_WITHIN = 5
"""The header is one of so many first rows that are not empty: a title may stand above it."""
_LONGEST_QUOTE = 80

QUESTION, ANSWER, SIMILAR, NEGATIVE = COLUMNS = (
    "question",
    "answer",
    "similar_questions",
    "negative_questions",
)
NAMES: Mapping[str, tuple[str, ...]] = {
    QUESTION: ("question", "questions", "q", "问题", "提问", "问", "题目", "标准问题", "标准问"),
    ANSWER: ("answer", "answers", "a", "答案", "回答", "答", "答复", "标准答案"),
    SIMILAR: ("similar_questions", "similar", "相似问题", "相似问法", "相似问", "相似"),
    NEGATIVE: ("negative_questions", "negative", "反例问题", "反例"),
}
"""What each column may be called, its own name first."""
_COLUMN_OF = {name: column for column, names in NAMES.items() for name in names}
_BETWEEN_VARIANTS = re.compile(r"[\n|｜]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqRow:
    """One row; `row` counts from 1 as a spreadsheet does, the header included."""

    row: int
    draft: FaqDraft


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRow:
    """A row that was left out, and why; `kept` is the row before it that asks the same question."""

    row: int
    fault: Fault
    draft: FaqDraft | None = None
    kept: FaqRow | None = None

    @property
    def reason(self) -> str:
        """The fault in English."""
        return self.fault.text()


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqTable:
    """What a table holds: clean rows with different questions, and those left out.

    `unlisted` counts the rows left out beyond the first `MOST_LISTED`.
    """

    rows: tuple[FaqRow, ...]
    rejected: tuple[RejectedRow, ...] = ()
    unlisted: int = 0


def find_header(rows: Iterator[tuple[int, Sequence[str]]], *, path: str) -> dict[str, int]:
    """Where each known column is, from the first row that names both question and answer; further columns are
    ignored. `InvalidInput` where none of the first rows does, with the names that are known."""
    first: tuple[int, Sequence[str]] | None = None
    for _, (number, cells) in zip(range(HEADER_WITHIN), rows, strict=False):
        first = first or (number, cells)
        if found := columns(cells):
            return found
    number, cells = first or (1, ())
    missing = ANSWER if {_COLUMN_OF.get(_header_name(cell)) for cell in cells} & {QUESTION} else QUESTION
    header = ",".join(filter(None, map(str.strip, cells)))[:200]
    fault = Fault("table.no_column", header=header, column=missing, names=", ".join(NAMES[missing]))
    raise InvalidInput(fault.at(path, row=number), field=missing)


def columns(header: Sequence[str]) -> dict[str, int]:
    """Where each known column is; empty where question or answer is missing."""
    found: dict[str, int] = {}
    for index, cell in enumerate(header):
        if known := _COLUMN_OF.get(_header_name(cell)):
            found.setdefault(known, index)
    return found if QUESTION in found and ANSWER in found else {}


def row_of_cells(cells: Sequence[str], places: Mapping[str, int], *, row: int) -> FaqRow:
    """The row in the cells of a table; the variants of a cell stand on lines of their own or between |."""

    def cell(column: str) -> str:
        index = places.get(column, len(cells))
        return unguard_cell(cells[index]) if index < len(cells) else ""

    return FaqRow(
        row=row,
        draft=FaqDraft(
            question=cell(QUESTION),
            answer=cell(ANSWER),
            similar_questions=tuple(_BETWEEN_VARIANTS.split(cell(SIMILAR))),
            negative_questions=tuple(_BETWEEN_VARIANTS.split(cell(NEGATIVE))),
        ),
    )


def guard_cell(cell: str) -> str:
    """The cell as no spreadsheet runs it as a formula; `unguard_cell` gives it back."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def unguard_cell(cell: str) -> str:
    """A cell of a table that was written with `guard_cell`, or of any other."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def faq_table(rows: Iterable[FaqRow | RejectedRow], *, path: str) -> FaqTable:
    """The table of these rows: the first row that asks a question is kept, further ones are left out.

    Questions are the same as the store compares them (`vta.faq.bare`), so what is kept here can be stored.
    """
    kept: dict[str, FaqRow] = {}
    rejected: list[RejectedRow] = []
    left_out = 0
    for count, given in enumerate(rows):
        if count == MOST_ROWS:
            fault = Fault("table.too_many_rows", most=MOST_ROWS)
            raise InvalidInput(fault.at(path, row=given.row), field=QUESTION)
        row = _checked(given, kept)
        if isinstance(row, FaqRow):
            kept[bare(row.draft.question)] = row
            continue
        left_out += 1
        if len(rejected) < MOST_LISTED:
            rejected.append(row)
    if not kept and not left_out:
        raise InvalidInput(Fault("table.no_question").at(path, row=1))
    return FaqTable(rows=tuple(kept.values()), rejected=tuple(rejected), unlisted=left_out - len(rejected))


def faq_pairs(table: FaqTable, *, path: str, course: Course) -> tuple[QAPair, ...]:
    """One pair a row. `InvalidInput` with the first fault where no row could be used."""
    if not table.rows:
        first = table.rejected[0]
        raise InvalidInput(first.fault.at(path, row=first.row))
    return tuple(
        faq_pair(
            row.draft,
            pair_id(course.id, path, normalise(row.draft.question)),
            course=course,
            document=path,
        )
        for row in table.rows
    )


def rejections(table: FaqTable, *, path: str) -> tuple[Rejection, ...]:
    """What a report says of the rows that were left out."""
    listed = (
        Rejection(path=path, fault=each.fault.at(path, row=each.row), line=each.row)
        for each in table.rejected
    )
    if not table.unlisted:
        return tuple(listed)
    unlisted = Fault("table.more_left_out", count=table.unlisted).at(path)
    return (*listed, Rejection(path=path, fault=unlisted))


def _checked(given: FaqRow | RejectedRow, kept: Mapping[str, FaqRow]) -> FaqRow | RejectedRow:
    """The row with a clean draft, or why it is left out."""
    if isinstance(given, RejectedRow):
        return given
    try:
        row = FaqRow(row=given.row, draft=clean_draft(given.draft))
    except InvalidInput as error:
        return RejectedRow(row=given.row, fault=error.fault, draft=given.draft)
    same = kept.get(bare(row.draft.question))
    if same is None:
        return row
    fault = Fault("table.same_question", row=same.row, kept=_quote(same.draft), left_out=_quote(row.draft))
    return RejectedRow(row=row.row, fault=fault, draft=row.draft, kept=same)


def _quote(draft: FaqDraft) -> str:
    return f"{_short(draft.question)!r} ({_short(draft.answer)!r})"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]}…"


def _header_name(cell: str) -> str:
    return normalise(cell).strip().replace(" ", "_")
