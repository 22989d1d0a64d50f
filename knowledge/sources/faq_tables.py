"""FAQ tables as CSV, JSON Lines and XLSX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import BinaryIO

from knowledge.sources.decoding import read_text_file
from knowledge.sources.faq import (
    ANSWER,
    MOST_ROWS,
    NEGATIVE,
    QUESTION,
    SIMILAR,
    FaqRow,
    OnFault,
    columns,
    faq_pairs,
    refuse,
    row_of_cells,
)
from knowledge.sources.packages import check_package, faults_named
from vta.errors import InvalidInput
from vta.types import Course, FaqDraft, QAPair

_MOST_COLUMNS = 64


def read_faq_csv(
    file: BinaryIO, *, path: str, course: Course, on_fault: OnFault = refuse
) -> tuple[QAPair, ...]:
    """The rows of a table with a header line; further columns are ignored, empty lines skipped."""
    rows = _csv_rows(read_text_file(file, path=path), path)
    first, header = next(rows, (1, []))
    places = columns(header, path=path, line=first)
    return faq_pairs(
        (row_of_cells(row, places, line=n) for n, row in rows), path=path, course=course, on_fault=on_fault
    )


def _csv_rows(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with its first line."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        message = f"{path}, line {line}: not readable as CSV: {error}"
        raise InvalidInput(message, path=path, line=line) from error


def read_faq_jsonl(
    file: BinaryIO, *, path: str, course: Course, on_fault: OnFault = refuse
) -> tuple[QAPair, ...]:
    """One JSON object {"question", "answer"} a line; further keys are ignored, empty lines skipped.

    "similar_questions" and "negative_questions", where given, are lists of texts.
    """
    text = read_text_file(file, path=path)
    return faq_pairs(_json_rows(text, path, on_fault), path=path, course=course, on_fault=on_fault)


def _json_rows(text: str, path: str, on_fault: OnFault) -> Iterator[FaqRow]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            draft = _json_draft(line, f"{path}, line {number}")
        except InvalidInput as fault:
            on_fault(InvalidInput(fault.message, path=path, line=number, field=fault.field))
            continue
        yield FaqRow(line=number, draft=draft)


def _json_draft(line: str, place: str) -> FaqDraft:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{place}: not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{place}: JSON nested too deeply, or with too long a number") from error
    for column in (QUESTION, ANSWER):
        if not isinstance(row, dict) or not isinstance(row.get(column), str):
            raise InvalidInput(f"{place}: no text field {column!r}", field=column)
    variants = {}
    for column in (SIMILAR, NEGATIVE):
        given = row.get(column) or []
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise InvalidInput(f"{place}: {column!r} is no list of texts", field=column)
        variants[column] = tuple(given)
    return FaqDraft(
        question=row[QUESTION],
        answer=row[ANSWER],
        similar_questions=variants[SIMILAR],
        negative_questions=variants[NEGATIVE],
    )


def read_faq_xlsx(
    file: BinaryIO, *, path: str, course: Course, on_fault: OnFault = refuse
) -> tuple[QAPair, ...]:
    """The first sheet of a workbook, as a CSV table is read; `line` is the number of the row."""
    check_package(file, path=path, kind="XLSX")
    with faults_named(path, "XLSX"):
        rows = _sheet_rows(file)
        first, header = next(rows, (1, []))
        places = columns(header, path=path, line=first)
        return faq_pairs(
            (row_of_cells(row, places, line=n) for n, row in rows),
            path=path,
            course=course,
            on_fault=on_fault,
        )


def _sheet_rows(file: BinaryIO) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with its number; formulas give the value last seen."""
    from openpyxl import load_workbook  # takes a third of a second to import

    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    try:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        rows = sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=_MOST_COLUMNS, values_only=True)
        for number, row in enumerate(rows, start=1):
            cells = ["" if value is None else str(value) for value in row]
            if any(cell.strip() for cell in cells):
                yield number, cells
    finally:
        book.close()
