"""Files with an object or a row a line, read as a stream: those of MOOCCubeX are hundreds of megabytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from concept_graph.json_fields import Fields, load_json
from vta.errors import InvalidInput
from vta.faults import Fault

LONGEST_LINE = 10_000_000
"""Bytes."""


def read_objects(file: Path) -> Iterator[Fields]:
    """The objects of a JSON Lines file. `InvalidInput` names file and line."""
    for number, line in _read_lines(file):
        try:
            value = load_json(line, path=str(file))
        except InvalidInput as error:
            raise InvalidInput(Fault("concept.no_json_line").at(str(file), number)) from error
        if not isinstance(value, dict):
            raise InvalidInput(Fault("concept.no_object").at(str(file), number))
        yield Fields(str(file), f"line {number}", value, line=number)


def read_rows(file: Path) -> Iterator[tuple[int, str, str]]:
    """The rows of a relation: the line's number and two ids apart by a tab. `InvalidInput` as above."""
    for number, line in _read_lines(file):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise InvalidInput(Fault("concept.no_relation").at(str(file), number))
        yield number, columns[0], columns[1]


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    try:
        with file.open("rb") as lines:
            number = 0
            while line := lines.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise InvalidInput(Fault("file.line_too_long", most=LONGEST_LINE).at(str(file), number))
                text = _decoded(line, file, number).strip("\r\n \ufeff")
                if text:
                    yield number, text
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(str(file))) from error


def _decoded(line: bytes, file: Path, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("file.no_utf8_text").at(str(file), number)) from error
