"""The tables of pairs that `vta graph score-pairs` reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from services.use_cases.rows import read_text
from vta.errors import InvalidInput
from vta.faults import Fault

COLUMNS = ("concept_a", "concept_b")
_TOO_LONG = 200
"""Characters in a name."""


def read_concept_pairs(file: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of a tab-separated file, whose header names `COLUMNS`, in order; further columns are ignored.

    Quotes are characters like any other. Empty lines are skipped. A fault is `InvalidInput` that names the
    line and, where there is one, the column.
    """
    return tuple((a, b) for _, (a, b) in read_columns(file, COLUMNS))


def read_columns(file: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The cells of the columns, line by line, with the number of each line."""
    lines = read_text(file).removeprefix("\ufeff").split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    for column in columns:
        if header.count(column) != 1:
            needed = " and ".join(columns)
            if column in header:
                twice = Fault("data.column_twice", column=column, needed=needed)
                raise line_fault(file, 1, column, twice)
            raise line_fault(file, 1, column, Fault("data.no_column", column=column, needed=needed))
    places = {column: header.index(column) for column in columns}
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            cells = line.rstrip("\r").split("\t")
            rows.append((number, [_name(cells, places[each], file, number, each) for each in columns]))
    if not rows:
        raise line_fault(file, len(lines), None, Fault("data.no_pair"))
    return rows


def _name(cells: list[str], place: int, file: Path, line: int, column: str) -> str:
    name = cells[place].strip() if place < len(cells) else ""
    if not name:
        raise line_fault(file, line, column, Fault("data.empty_cell", column=column))
    if len(name) > _TOO_LONG:
        raise line_fault(file, line, column, Fault("data.long_cell", column=column, most=_TOO_LONG))
    return name


def line_fault(file: Path, line: int, column: str | None, reason: Fault) -> InvalidInput:
    """A fault that names file, line and, where there is one, column."""
    fault = Fault("data.line", file=str(file), line=line, reason=reason)
    return InvalidInput(fault, path=str(file), line=line, field=column)
