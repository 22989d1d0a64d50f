"""FAQ tables as CSV, JSON Lines and XLSX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from knowledge.sources.decoding import read_text_file
from knowledge.sources.faq import (
    ANSWER,
    CATEGORY,
    COLUMNS,
    NEGATIVE,
    QUESTION,
    SIMILAR,
    STATE,
    FaqRow,
    FaqTable,
    RejectedRow,
    faq_row,
    faq_table,
    find_header,
    has_header,
    row_of_cells,
)
from knowledge.sources.workbooks import SheetRow, open_workbook, sheet_rows, visible_sheets
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.faq import FaqDraft

_SEPARATORS = (",", ";", "\t")
"""Excel writes the second in many countries, and the third as "Unicode text"."""
_SEPARATOR_LINE = re.compile(r"sep=([,;\t])\n", re.IGNORECASE)
"""The line from which Excel reads the separator of a file; it is no row."""
_LOOKED_AT = 100_000
"""Characters in which the separator shows."""


def read_faq_csv(file: BinaryIO, *, path: str) -> FaqTable:
    """The rows of a table with a header, between commas, semicolons or tabs.

    Further columns are ignored, empty rows skipped.
    """
    text = read_text_file(file, path=path)
    named = _SEPARATOR_LINE.match(text)
    text = text[named.end() :] if named else text
    rows = csv_rows(text, named[1] if named else _separator(text), path)
    places = find_header(rows, path=path)
    return faq_table((row_of_cells(cells, places, row=n) for n, cells in rows), path=path)


def _separator(text: str) -> str:
    """The separator under which a header shows; a comma where it shows under none."""
    return next((each for each in _SEPARATORS if _has_header(text[:_LOOKED_AT], each)), ",")


def _has_header(text: str, separator: str) -> bool:
    try:
        return has_header(filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error:
        return False


def csv_rows(text: str, separator: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with the number that a spreadsheet shows beside it."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for number, cells in enumerate(reader, start=1):
            if any(cell.strip() for cell in cells):
                yield number, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(Fault("table.no_csv", reason=str(error)).at(path, line)) from error


def read_faq_jsonl(file: BinaryIO, *, path: str) -> FaqTable:
    """One JSON object {"question", "answer"} a line; further keys are ignored, empty lines skipped.

    "similar_questions" and "negative_questions", where given, are lists of texts; "category" and "state"
    ("live" or "draft") are texts.
    """
    return faq_table(_json_rows(read_text_file(file, path=path)), path=path)


def _json_rows(text: str) -> Iterator[FaqRow | RejectedRow]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _json_row(number, line)
        except InvalidInput as error:
            yield RejectedRow(row=number, fault=error.fault)


def _json_row(number: int, line: str) -> FaqRow | RejectedRow:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput(Fault("table.no_json", reason=error.msg)) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(Fault("table.wild_json")) from error
    for column in (QUESTION, ANSWER):
        if not isinstance(row, dict) or not isinstance(row.get(column), str):
            raise InvalidInput(Fault("table.no_text_field", field=column), field=column)
    variants = {}
    for column in (SIMILAR, NEGATIVE):
        given = row.get(column) or []
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise InvalidInput(Fault("table.no_list_of_texts", field=column), field=column)
        variants[column] = tuple(given)
    texts = {column: row.get(column) or "" for column in (CATEGORY, STATE)}
    for column, text in texts.items():
        if not isinstance(text, str):
            raise InvalidInput(Fault("table.no_text_field", field=column), field=column)
    draft = FaqDraft(
        question=row[QUESTION],
        answer=row[ANSWER],
        similar_questions=variants[SIMILAR],
        negative_questions=variants[NEGATIVE],
        category=texts[CATEGORY],
    )
    return faq_row(number, draft, columns=frozenset(row.keys() & set(COLUMNS)), state=texts[STATE])


def read_faq_xlsx(file: BinaryIO, *, path: str, sheet: str | None = None) -> FaqTable:
    """A sheet of a workbook, as a CSV table is read: the one named, or the first that has a header.

    Sheets that are hidden are read where they are named. `InvalidInput` where none has a header.
    """
    with open_workbook(file, path=path) as book:
        sheets = {each.title: each for each in book.worksheets}
        shown = visible_sheets(book)
        with_header = [
            name for name, each in shown.items() if has_header(row.cells for row in sheet_rows(each))
        ]
        chosen = (with_header or [*shown])[0] if sheet is None else sheet
        if chosen not in sheets:
            fault = Fault("table.no_sheet", sheet=chosen, names=", ".join(shown))
            raise InvalidInput(fault.at(path), field="sheet")
        rows = sheet_rows(sheets[chosen])
        places = find_header(((row.number, row.cells) for row in rows), path=path)
        found = (_row_of_sheet(row, places) for row in rows)
        others = [name for name in with_header if name != chosen]
        return faq_table(found, path=path, sheet=chosen, other_sheets=others)


def _row_of_sheet(row: SheetRow, places: Mapping[str, int]) -> FaqRow | RejectedRow:
    if row.is_hidden:
        return RejectedRow(row=row.number, fault=Fault("table.hidden_row"))
    answer = places[ANSWER]
    cells = [row.links.get(n, cell) if n == answer else cell for n, cell in enumerate(row.cells)]
    return row_of_cells(cells, places, row=row.number)
