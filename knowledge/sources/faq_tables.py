"""FAQ tables as CSV, JSON Lines and XLSX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from knowledge.sources.archive import check_package, faults_named
from knowledge.sources.decoding import read_text_file
from knowledge.sources.faq import (
    ANSWER,
    CATEGORY,
    COLUMNS,
    MOST_ROWS,
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
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types.faq import FaqDraft

_MOST_COLUMNS = 64
_SEPARATORS = (",", ";", "\t")
"""Excel writes the second in many countries, and the third as "Unicode text"."""
_SEPARATOR_LINE = re.compile(r"sep=([,;\t])\n", re.IGNORECASE)
"""What Excel reads as the separator of a file, and shows as no row."""
_LOOKED_AT = 100_000
"""Characters in which the separator shows."""


def read_faq_csv(file: BinaryIO, *, path: str) -> FaqTable:
    """The rows of a table with a header, between commas, semicolons or tabs.

    Further columns are ignored, empty rows skipped.
    """
    text = read_text_file(file, path=path)
    named = _SEPARATOR_LINE.match(text)
    text = text[named.end() :] if named else text
    rows = _csv_rows(text, named[1] if named else _separator(text), path)
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


def _csv_rows(text: str, separator: str, path: str) -> Iterator[tuple[int, list[str]]]:
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
    from openpyxl import load_workbook  # takes a third of a second to import

    check_package(file, path=path, kind="XLSX")
    with faults_named(path, "XLSX"):
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {each.title: each for each in book.worksheets}
            shown = [name for name, each in sheets.items() if each.sheet_state == "visible"] or [*sheets]
            with_header = [
                name for name in shown if has_header(cells for _, cells in _sheet_rows(sheets[name]))
            ]
            chosen = (with_header or shown)[0] if sheet is None else sheet
            if chosen not in sheets:
                fault = Fault("table.no_sheet", sheet=chosen, names=", ".join(shown))
                raise InvalidInput(fault.at(path), field="sheet")
            rows = _sheet_rows(sheets[chosen])
            places = find_header(rows, path=path)
            found = (row_of_cells(cells, places, row=n) for n, cells in rows)
            others = [name for name in with_header if name != chosen]
            return faq_table(found, path=path, sheet=chosen, other_sheets=others)
        finally:
            book.close()


def _sheet_rows(sheet: Any) -> Iterator[tuple[int, Sequence[str]]]:
    """The rows of a sheet that are not empty, with their numbers; formulas give the value last seen."""
    sheet.reset_dimensions()
    rows = sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=_MOST_COLUMNS, values_only=True)
    for number, row in enumerate(rows, start=1):
        cells = ["" if value is None else str(value) for value in row]
        if any(cell.strip() for cell in cells):
            yield number, cells
