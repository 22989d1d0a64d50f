"""What lets other sites embed the sidebar of a course."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Engine, insert, select, update

from services.storage import tables
from services.storage.courses import find_course, unknown_course
from services.storage.transactions import reading, write
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import CourseId

MOST_ORIGINS = 50
_ORIGIN = re.compile(r"(https?)://([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?")
_USUAL_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """The sites that may embed a course's sidebar, and whether it offers hints in the place of answers."""

    origins: tuple[str, ...] = ()
    hints: bool = True


class SqlEmbeddings:
    """The embedding of each course; a course that was never told anything has that of `Embedding()`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def embedding(self, course_id: CourseId) -> Embedding:
        """`NotFound` for an unknown course."""
        with reading(self._engine) as connection:
            return read_embedding(connection, course_id)

    def change(
        self, course_id: CourseId, *, origins: Sequence[str] | None = None, hints: bool | None = None
    ) -> Embedding:
        """Put what is given in the place of what was there. `InvalidInput` for what is no origin."""
        cleaned = None if origins is None else clean_origins(origins)

        def action(connection: Connection) -> Embedding:
            found = read_embedding(connection, course_id)
            changed = replace(
                found,
                origins=found.origins if cleaned is None else cleaned,
                hints=found.hints if hints is None else hints,
            )
            keep_embedding(connection, course_id, changed)
            return changed

        return write(self._engine, action)


def clean_origins(origins: Sequence[str]) -> tuple[str, ...]:
    """The origins as browsers write them, each once; `InvalidInput` that names the first that is none."""
    if len(origins) > MOST_ORIGINS:
        raise InvalidInput(Fault("setting.origins", most=MOST_ORIGINS), field="origins")
    return tuple(dict.fromkeys(map(_clean, origins)))


def _clean(origin: str) -> str:
    shape = _ORIGIN.fullmatch(origin.strip().lower().removesuffix("/"))
    if shape is None or int(shape[3] or 0) > 65535:
        raise InvalidInput(
            Fault("setting.origin", origin=origin),
            field="origins",
        )
    scheme, host, port = shape.groups()
    return f"{scheme}://{host}" + (f":{port}" if port and port != _USUAL_PORTS[scheme] else "")


def read_embedding(connection: Connection, course_id: CourseId) -> Embedding:
    """The embedding of a course, or `NotFound`."""
    if find_course(connection, course_id) is None:
        raise unknown_course(course_id)
    table = tables.course_embeddings
    row = connection.execute(select(table).where(table.c.course_id == course_id)).one_or_none()
    return Embedding() if row is None else Embedding(origins=tuple(row.origins), hints=row.hints)


def keep_embedding(connection: Connection, course_id: CourseId, embedding: Embedding) -> None:
    """Put an embedding whose origins are clean in the place of what was there."""
    table = tables.course_embeddings
    row = {"origins": list(embedding.origins), "hints": embedding.hints}
    kept = connection.execute(update(table).where(table.c.course_id == course_id).values(row))
    if not kept.rowcount:
        connection.execute(insert(table).values(course_id=course_id, **row))
