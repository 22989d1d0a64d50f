"""The rows of FAQ tables, whatever kind of file they stand in, and the pairs they become.

One policy for every way in: a row that cannot be used, or asks what a row before it asks, is left out and
listed; the rest is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from knowledge.chunking import pair_id
from knowledge.sources.html_answers import as_markdown
from vta.errors import InvalidInput
from vta.faq import clean_draft, comparison_key, faq_pair
from vta.faults import Fault
from vta.text import normalise
from vta.types.answers import Rejection
from vta.types.courses import Course
from vta.types.faq import FaqDraft, FaqState
from vta.types.pairs import QAPair

MOST_ROWS = 200_000
MOST_LISTED = 1000
"""Rows left out that are listed one by one; further ones are counted."""
_HEADER_WITHIN = 10
"""The header is one of so many first rows that are not empty: titles may stand above it."""
_LONGEST_QUOTE = 80

COLUMNS = ("question", "answer", "similar_questions", "negative_questions", "category", "state")
"""The names of an entry's fields in a table."""
QUESTION, ANSWER, SIMILAR, NEGATIVE, CATEGORY, STATE = COLUMNS
NAMES: Mapping[str, tuple[str, ...]] = {
    QUESTION: ("question", "questions", "q", "问题", "提问", "问", "题目", "标准问题", "标准问"),
    ANSWER: ("answer", "answers", "a", "答案", "回答", "答", "答复", "标准答案"),
    SIMILAR: ("similar_questions", "similar", "相似问题", "相似问法", "相似问", "相似"),
    NEGATIVE: ("negative_questions", "negative", "反例问题", "反例"),
    CATEGORY: ("category", "categories", "分类", "类别", "类目"),
    STATE: ("state", "发布状态"),
}
"""The names that each column may have, the exported one first."""
_STATES = {
    "": FaqState.LIVE,
    "live": FaqState.LIVE,
    "已发布": FaqState.LIVE,
    "draft": FaqState.DRAFT,
    "草稿": FaqState.DRAFT,
}
_COLUMN_OF = {name: column for column, names in NAMES.items() for name in names}
_BETWEEN_VARIANTS = re.compile(r"[\n|｜]")
_ERRORS = frozenset("#N/A #DIV/0! #REF! #VALUE! #NAME? #NUM! #NULL! #SPILL! #CALC!".split())
"""Values that a spreadsheet shows for a formula that failed."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqRow:
    """One row; `row` counts from 1 as a spreadsheet does, the header included.

    `columns` are those that the table has: an import leaves the others of an entry as they are.
    """

    row: int
    draft: FaqDraft
    columns: frozenset[str] = frozenset(COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedRow:
    """A row that was left out, and why; `kept` is an earlier row that asks the same question."""

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
    """The content of a table: clean rows with different questions, and those left out.

    `unlisted` counts the rows left out beyond the first `MOST_LISTED`. Of a workbook, `sheet` is the one that
    was read, and `other_sheets` have a header too.
    """

    rows: tuple[FaqRow, ...]
    rejected: tuple[RejectedRow, ...] = ()
    unlisted: int = 0
    sheet: str = ""
    other_sheets: tuple[str, ...] = ()


def find_header(rows: Iterator[tuple[int, Sequence[str]]], *, path: str) -> dict[str, int]:
    """The index of each known column in the first row that names both question and answer.

    `InvalidInput` with the known names where none of the first rows names both.
    """
    first: tuple[int, Sequence[str]] | None = None
    for number, cells in islice(rows, _HEADER_WITHIN):
        first = first or (number, cells)
        if found := columns(cells):
            return found
    number, cells = first or (1, ())
    header = ",".join(filter(None, map(str.strip, cells)))[:200]
    missing = [each for each in (QUESTION, ANSWER) if each not in _places(cells)]
    if len(missing) == 1:
        names = ", ".join(NAMES[missing[0]])
        fault = Fault("table.no_column", header=header, column=missing[0], names=names)
    else:
        questions, answers = (", ".join(NAMES[each]) for each in (QUESTION, ANSWER))
        fault = Fault("table.no_header", header=header, questions=questions, answers=answers)
    raise InvalidInput(fault.at(path, row=number), field=missing[0])


def has_header(rows: Iterable[Sequence[str]]) -> bool:
    """True if one of the first rows names both question and answer."""
    return any(map(columns, islice(rows, _HEADER_WITHIN)))


def columns(header: Sequence[str]) -> dict[str, int]:
    """Where each known column is; empty where question or answer is missing."""
    found = _places(header)
    return found if QUESTION in found and ANSWER in found else {}


def _places(cells: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for index, cell in enumerate(cells):
        if known := _COLUMN_OF.get(_header_name(cell)):
            found.setdefault(known, index)
    return found


def row_of_cells(cells: Sequence[str], places: Mapping[str, int], *, row: int) -> FaqRow | RejectedRow:
    """The row in the cells of a table; the variants of a cell stand on lines of their own or between |."""

    def cell(column: str) -> str:
        index = places.get(column, len(cells))
        return unguard_cell(cells[index]) if index < len(cells) else ""

    texts = {column: cell(column) for column in COLUMNS}
    for column, text in texts.items():
        if text in _ERRORS:
            return RejectedRow(row=row, fault=Fault("table.error_value", column=column, value=text))
    draft = FaqDraft(
        question=texts[QUESTION],
        answer=texts[ANSWER],
        similar_questions=tuple(_BETWEEN_VARIANTS.split(texts[SIMILAR])),
        negative_questions=tuple(_BETWEEN_VARIANTS.split(texts[NEGATIVE])),
        category=texts[CATEGORY],
    )
    return faq_row(row, draft, columns=frozenset(places), state=texts[STATE])


def faq_row(row: int, draft: FaqDraft, *, columns: frozenset[str], state: str) -> FaqRow | RejectedRow:
    """A row in the state that a table names; one of no known state is left out, since it may be a draft."""
    known = _STATES.get(normalise(state).strip())
    if known is None:
        return RejectedRow(row=row, fault=Fault("table.no_state", state=_short(state)), draft=draft)
    return FaqRow(row=row, draft=replace(draft, state=known), columns=columns)


def guard_cell(cell: str) -> str:
    """The cell as no spreadsheet runs it as a formula; `unguard_cell` gives it back."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def unguard_cell(cell: str) -> str:
    """A cell of a table that was written with `guard_cell`, or of any other."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def faq_table(
    rows: Iterable[FaqRow | RejectedRow], *, path: str, sheet: str = "", other_sheets: Sequence[str] = ()
) -> FaqTable:
    """The table of these rows: the first row that asks a question is kept, further ones are left out.

    Questions are compared by `vta.faq.comparison_key`, as in the store, so that all rows can be stored.
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
            kept[comparison_key(row.draft.question)] = row
            continue
        left_out += 1
        if len(rejected) < MOST_LISTED:
            rejected.append(row)
    if not kept and not left_out:
        raise InvalidInput(Fault("table.no_question").at(path, row=1))
    return FaqTable(
        rows=tuple(kept.values()),
        rejected=tuple(rejected),
        unlisted=left_out - len(rejected),
        sheet=sheet,
        other_sheets=tuple(other_sheets),
    )


def faq_pairs(table: FaqTable, *, path: str, course: Course) -> tuple[QAPair, ...]:
    """One pair a row that is live. `InvalidInput` with the first fault where no row could be used."""
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
        if row.draft.state is FaqState.LIVE
    )


def rejections(table: FaqTable, *, path: str) -> tuple[Rejection, ...]:
    """The report on the rows that were left out."""
    listed = (
        Rejection(path=path, fault=each.fault.at(path, row=each.row), line=each.row)
        for each in table.rejected
    )
    more = []
    if table.unlisted:
        more.append(Fault("table.more_left_out", count=table.unlisted))
    if table.other_sheets:
        more.append(Fault("table.other_sheets", sheet=table.sheet, others=", ".join(table.other_sheets)))
    return (*listed, *(Rejection(path=path, fault=each.at(path)) for each in more))


def _checked(given: FaqRow | RejectedRow, kept: Mapping[str, FaqRow]) -> FaqRow | RejectedRow:
    """The row with a clean draft, or why it is left out."""
    if isinstance(given, RejectedRow):
        return given
    try:
        written = replace(given.draft, answer=as_markdown(given.draft.answer))
        row = replace(given, draft=clean_draft(written))
    except InvalidInput as error:
        return RejectedRow(row=given.row, fault=error.fault, draft=given.draft)
    same = kept.get(comparison_key(row.draft.question))
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
