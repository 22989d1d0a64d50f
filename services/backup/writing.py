"""Writes a backup while the platform goes on: every table as it was at one moment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from sqlalchemy import Connection, Engine

from services.backup.form import MANIFEST, Manifest, Member, member_name, to_json
from services.backup.ownership import rows_of
from services.course_file.members import packed, write_lines
from services.course_file.new_file import new_file
from services.storage.courses import find_course, unknown_course
from services.storage.engine import without_timeout
from services.storage.schema import schema_version
from services.storage.transactions import reading
from vta import __version__
from vta.ports import Clock
from vta.types import CourseId

_ROWS_AT_ONCE = 200


def save_backup(engine: Engine, path: Path, *, clock: Clock, course: CourseId | None = None) -> Manifest:
    """Write the store, or one course of it, into a new file that its owner alone can read.

    The file is there whole or not at all. `Conflict` where there is one of that name, `NotFound` for an
    unknown course.
    """
    with new_file(path) as file, reading(engine) as connection, without_timeout(connection):
        os.fchmod(file.fileno(), 0o600)
        if course is not None and find_course(connection, course) is None:
            raise unknown_course(course)
        with ZipFile(file, "w") as archive:
            members = {
                table.name: _write(
                    archive,
                    table.name,
                    table.columns.keys(),
                    _rows(connection, query.order_by(*table.primary_key)),
                )
                for table, query in rows_of(course).items()
            }
            manifest = Manifest(
                software=__version__,
                schema_version=str(schema_version(connection)),
                taken_at=clock.now(),
                course=course,
                tables=members,
            )
            archive.writestr(packed(MANIFEST), manifest.model_dump_json(indent=1) + "\n")
    return manifest


def _rows(connection: Connection, query: Any) -> Iterable[Sequence[Any]]:
    with connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)) as rows:
        yield from rows


def _write(archive: ZipFile, name: str, columns: list[str], rows: Iterable[Sequence[Any]]) -> Member:
    written = write_lines(archive, member_name(name), map(_line, rows))
    return Member(columns=columns, rows=written.lines, size=written.size, sha256=written.sha256)


def _line(row: Sequence[Any]) -> str:
    values = [to_json(value) for value in row]
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
