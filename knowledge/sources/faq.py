"""FAQ tables: CSV and JSON Lines with the columns question and answer."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from knowledge.chunking import pair_id
from vta.errors import InvalidInput
from vta.text import normalise
from vta.types import Course, QAPair, Source

LONGEST_CELL = 20_000
"""Characters."""


def read_faq_csv(text: str, *, path: str, course: Course) -> tuple[QAPair, ...]:
    """The rows of a table with a header line; further columns are ignored, empty lines skipped."""
    rows = _csv_rows(text, path)
    first, names = next(rows, (1, []))
    header = [name.strip().lower() for name in names]
    for column in ("question", "answer"):
        if column not in header:
            message = f"{path}, line {first}: the header {','.join(header)!r} has no column {column!r}"
            raise InvalidInput(message, path=path, line=first, field=column)
    question, answer = header.index("question"), header.index("answer")

    def cell(row: list[str], column: int) -> str:
        return row[column] if column < len(row) else ""

    return _pairs(((line, cell(row, question), cell(row, answer)) for line, row in rows), path, course)


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


def read_faq_jsonl(text: str, *, path: str, course: Course) -> tuple[QAPair, ...]:
    """One JSON object {"question", "answer"} a line; further keys are ignored, empty lines skipped."""

    def rows() -> Iterator[tuple[int, str, str]]:
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                message = f"{path}, line {number}: not JSON: {error.msg}"
                raise InvalidInput(message, path=path, line=number) from error
            except (ValueError, RecursionError) as error:
                message = f"{path}, line {number}: JSON nested too deeply, or with too long a number"
                raise InvalidInput(message, path=path, line=number) from error
            for column in ("question", "answer"):
                if not isinstance(row, dict) or not isinstance(row.get(column), str):
                    message = f"{path}, line {number}: no text field {column!r}"
                    raise InvalidInput(message, path=path, line=number, field=column)
            yield number, row["question"], row["answer"]

    return _pairs(rows(), path, course)


def _pairs(rows: Iterator[tuple[int, str, str]], path: str, course: Course) -> tuple[QAPair, ...]:
    pairs: list[QAPair] = []
    seen: dict[str, int] = {}
    for line, question, answer in rows:
        for column, cell in (("question", question), ("answer", answer)):
            if fault := _fault(cell):
                message = f"{path}, line {line}: the {column} {fault}"
                raise InvalidInput(message, path=path, line=line, field=column)
        key = normalise(question)
        if key in seen:
            message = f"{path}, line {line}: the same question as in line {seen[key]}; keep one of them"
            raise InvalidInput(message, path=path, line=line, field="question")
        seen[key] = line
        pairs.append(
            QAPair(
                id=pair_id(course.id, path, key),
                course_id=course.id,
                source=Source.FAQ,
                question=question.strip(),
                answer=answer.strip(),
                domains=course.domains,
                document=path,
            )
        )
    if not pairs:
        raise InvalidInput(f"{path}, line 1: holds no question", path=path, line=1)
    return tuple(pairs)


def _fault(cell: str) -> str:
    if not normalise(cell):
        return "is empty"
    if len(cell) > LONGEST_CELL:
        return f"is longer than {LONGEST_CELL} characters"
    if any("\ud800" <= character <= "\udfff" for character in cell):
        return "holds half of a surrogate pair, which is no character"
    return ""
