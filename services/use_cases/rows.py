"""Reading data that a person labelled: JSON Lines whose faults name file, line and field."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from vta.errors import InvalidInput
from vta.faults import Fault

Row = Mapping[str, object]


def read_rows(file: Path, fields: Sequence[str] = ()) -> list[Row]:
    """The objects of a JSON Lines file, each holding `fields`."""
    rows: list[Row] = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InvalidInput(
                Fault("data.not_json", file=str(file), line=number, reason=error.msg),
                path=str(file),
                line=number,
            ) from error
        missing = [name for name in fields if not isinstance(row, dict) or name not in row]
        if missing:
            raise InvalidInput(
                Fault("data.no_field", file=str(file), line=number, field=missing[0]),
                path=str(file),
                line=number,
                field=missing[0],
            )
        rows.append(row)
    if not rows:
        raise InvalidInput(Fault("data.no_row", file=str(file)), path=str(file))
    return rows


def read_text(file: Path) -> str:
    """The text of a UTF-8 file."""
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            Fault("data.unreadable", file=str(file), reason=error.strerror or ""), path=str(file)
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("data.not_utf8", file=str(file)), path=str(file)) from error


def place_of(file: Path, number: int) -> Fault:
    """How a row is named in a fault, counted from 1."""
    return Fault("name.row", file=str(file), row=number)
