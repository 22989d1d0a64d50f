"""What lets other sites embed the sidebar of a course, and the key that signs the tokens of visitors."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, Engine, insert, select, update

from services.storage import tables
from services.storage.courses import find_course, unknown_course
from services.storage.transactions import reading, write
from vta.errors import InvalidInput
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
        table = tables.course_embeddings

        def action(connection: Connection) -> Embedding:
            found = read_embedding(connection, course_id)
            changed = replace(
                found,
                origins=found.origins if cleaned is None else cleaned,
                hints=found.hints if hints is None else hints,
            )
            kept = connection.execute(
                update(table).where(table.c.course_id == course_id).values(_row(changed))
            )
            if not kept.rowcount:
                insert_embedding(connection, course_id, changed)
            return changed

        return write(self._engine, action)


class SqlSigningKeys:
    """One random key for each purpose, made at its first use; every process of a store has the same."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def secret(self, purpose: str) -> bytes:
        """256 random bits."""
        table = tables.signing_keys
        query = select(table.c.secret).where(table.c.purpose == purpose)
        with reading(self._engine) as connection:
            found = connection.execute(query).scalar()
        if found is None:
            found = write(self._engine, lambda connection: self._make(connection, purpose))
        return bytes.fromhex(found)

    def _make(self, connection: Connection, purpose: str) -> str:
        table = tables.signing_keys
        found = connection.execute(select(table.c.secret).where(table.c.purpose == purpose)).scalar()
        if found is not None:
            return str(found)
        made = secrets.token_hex(32)
        connection.execute(insert(table).values(purpose=purpose, secret=made))
        return made


def clean_origins(origins: Sequence[str]) -> tuple[str, ...]:
    """The origins as browsers write them, each once; `InvalidInput` that names the first that is none."""
    if len(origins) > MOST_ORIGINS:
        raise InvalidInput(f"a course has at most {MOST_ORIGINS} origins", field="origins")
    return tuple(dict.fromkeys(map(_clean, origins)))


def _clean(origin: str) -> str:
    shape = _ORIGIN.fullmatch(origin.strip().lower().removesuffix("/"))
    if shape is None or int(shape[3] or 0) > 65535:
        raise InvalidInput(
            f"{origin!r} is no origin, such as https://learn.example or http://localhost:8080",
            field="origins",
        )
    scheme, host, port = shape.groups()
    return f"{scheme}://{host}" + (f":{port}" if port and port != _USUAL_PORTS[scheme] else "")


def insert_embedding(connection: Connection, course_id: CourseId, embedding: Embedding) -> None:
    """Keep the embedding of a course that has none."""
    connection.execute(insert(tables.course_embeddings).values(course_id=course_id, **_row(embedding)))


def _row(embedding: Embedding) -> dict[str, object]:
    return {"origins": list(embedding.origins), "hints": embedding.hints}


def read_embedding(connection: Connection, course_id: CourseId) -> Embedding:
    """What `SqlEmbeddings.embedding` gives, inside a transaction of a caller."""
    if find_course(connection, course_id) is None:
        raise unknown_course(course_id)
    table = tables.course_embeddings
    row = connection.execute(select(table).where(table.c.course_id == course_id)).one_or_none()
    return Embedding() if row is None else Embedding(origins=tuple(row.origins), hints=row.hints)
