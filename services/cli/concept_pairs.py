"""The table of pairs that `vta graph score-pairs` reads."""

from __future__ import annotations

from pathlib import Path

from services.evaluation.rows import read_text
from vta.errors import InvalidInput

COLUMNS = ("concept_a", "concept_b")
_TOO_LONG = 200
"""Characters in a name."""


def read_concept_pairs(file: Path) -> tuple[tuple[str, str], ...]:
    """The pairs of a tab-separated file, whose header names `COLUMNS`, in order; further columns are ignored.

    Quotes are characters like any other. Empty lines are skipped. A fault is `InvalidInput` that names the
    line and, where there is one, the column.
    """
    lines = read_text(file).removeprefix("\ufeff").split("\n")
    header = [name.strip() for name in lines[0].split("\t")]
    for column in COLUMNS:
        if header.count(column) != 1:
            problem = "no column" if column not in header else "twice the column"
            raise _fault(file, 1, column, f"{problem} {column!r}; the header needs {' and '.join(COLUMNS)}")
    places = {column: header.index(column) for column in COLUMNS}
    pairs = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            cells = line.rstrip("\r").split("\t")
            a, b = (_name(cells, places[column], file, number, column) for column in COLUMNS)
            pairs.append((a, b))
    if not pairs:
        raise _fault(file, len(lines), None, "holds no pair")
    return tuple(pairs)


def _name(cells: list[str], place: int, file: Path, line: int, column: str) -> str:
    name = cells[place].strip() if place < len(cells) else ""
    if not name:
        raise _fault(file, line, column, f"column {column!r} is empty")
    if len(name) > _TOO_LONG:
        raise _fault(file, line, column, f"column {column!r} has more than {_TOO_LONG} characters")
    return name


def _fault(file: Path, line: int, column: str | None, problem: str) -> InvalidInput:
    return InvalidInput(f"{file}, line {line}: {problem}", path=str(file), line=line, field=column)
