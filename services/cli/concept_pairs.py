"""The tables of pairs that `vta graph score-pairs` and `vta evaluate graph` read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from services.evaluation.rows import read_text
from vta.errors import InvalidInput
from vta.faults import Fault

COLUMNS = ("concept_a", "concept_b")
LABEL = "label"
_TOO_LONG = 200
"""Characters in a name."""


def read_concept_pairs(file: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of a tab-separated file, whose header names `COLUMNS`, in order; further columns are ignored.

    Quotes are characters like any other. Empty lines are skipped. A fault is `InvalidInput` that names the
    line and, where there is one, the column.
    """
    return tuple((a, b) for _, (a, b) in _read(file, COLUMNS))


def read_labelled_pairs(file: Path) -> tuple[tuple[str, str, bool], ...]:
    """As `read_concept_pairs`, with a further column `LABEL`: 1 where a is a prerequisite of b, else 0."""
    return tuple(
        (a, b, _label(label, file, number)) for number, (a, b, label) in _read(file, (*COLUMNS, LABEL))
    )


def _read(file: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """The cells of the columns, line by line, with the number of each line."""
    lines = read_text(file).removeprefix("\ufeff").split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    for column in columns:
        if header.count(column) != 1:
            needed = " and ".join(columns)
            if column in header:
                twice = Fault("data.column_twice", column=column, needed=needed)
                raise _fault(file, 1, column, twice)
            raise _fault(file, 1, column, Fault("data.no_column", column=column, needed=needed))
    places = {column: header.index(column) for column in columns}
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            cells = line.rstrip("\r").split("\t")
            rows.append((number, [_name(cells, places[each], file, number, each) for each in columns]))
    if not rows:
        raise _fault(file, len(lines), None, Fault("data.no_pair"))
    return rows


def _label(text: str, file: Path, line: int) -> bool:
    if text not in ("0", "1"):
        raise _fault(file, line, LABEL, Fault("data.not_a_label", column=LABEL))
    return text == "1"


def _name(cells: list[str], place: int, file: Path, line: int, column: str) -> str:
    name = cells[place].strip() if place < len(cells) else ""
    if not name:
        raise _fault(file, line, column, Fault("data.empty_cell", column=column))
    if len(name) > _TOO_LONG:
        raise _fault(file, line, column, Fault("data.long_cell", column=column, most=_TOO_LONG))
    return name


def _fault(file: Path, line: int, column: str | None, reason: Fault) -> InvalidInput:
    fault = Fault("data.line", file=str(file), line=line, reason=reason)
    return InvalidInput(fault, path=str(file), line=line, field=column)
