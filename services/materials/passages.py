"""The passages of one document as a teacher sees them, and switching them off and on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select, update

from services.documents.rows import all_pairs, digest_of, hold_back, read_stored
from services.store import tables
from services.store.course_rows import keep_changes
from services.store.outbox import Changes
from services.store.transactions import SqlStore, reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import CourseId
from vta.types.pairs import QAPair


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPassage:
    """A pair of a document, whether it may answer, and the digest of its text, by which it is switched."""

    pair: QAPair
    is_on: bool
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A document with all its passages in order, and what could not be read of it, by language.

    `lost` counts texts that were switched off in an earlier version and are not in this one.
    """

    path: str
    stored_at: datetime | None
    passages: tuple[StoredPassage, ...]
    problems: tuple[Mapping[Language, str], ...]
    lost: int


class SqlPassages(SqlStore):
    """Reads documents of the relational store as files with passages, and switches these."""

    def file(self, course_id: CourseId, path: str) -> StoredFile:
        """The document of a path; `NotFound` where the course has none."""
        with reading(self._engine) as connection:
            row = find_document(connection, course_id, path)
        whole = all_pairs(row.pairs, row.held)
        digests = [digest_of(pair) for pair in whole]
        pairs = read_stored(QAPair, whole, course_id, path)
        return StoredFile(
            path=path,
            stored_at=row.stored_at,
            passages=tuple(
                StoredPassage(pair=pair, is_on=digest not in row.switched_off, digest=digest)
                for pair, digest in zip(pairs, digests, strict=True)
            ),
            problems=tuple({Language(key): text for key, text in each.items()} for each in row.problems),
            lost=len(set(row.switched_off) - set(digests)),
        )

    def switch(self, course_id: CourseId, path: str, digests: Collection[str], *, on: bool) -> int:
        """Switch passages of a document on or off; returns the revision. All of the same text are switched.

        `NotFound` where the document, or a passage of it, is not there; then nothing is switched.
        """

        def action(connection: Connection) -> int:
            row = find_document(connection, course_id, path)
            whole = all_pairs(row.pairs, row.held)
            if not set(digests) <= set(map(digest_of, whole)):
                raise NotFound(Fault("course.no_passage", path=path))
            before = set(row.switched_off)
            after = before.difference(digests) if on else before.union(digests)
            new = hold_back(whole, after, waits=row.waits)
            here = update(tables.documents).filter_by(course_id=course_id, path=path)
            connection.execute(here.values(**new))
            changes = Changes()
            changes.add(path, row._asdict(), row._asdict() | new)
            return keep_changes(connection, course_id, changes)

        return write(self._engine, action, patient=True)


def find_document(connection: Connection, course_id: CourseId, path: str) -> Row[Any]:
    """The row of a document that was read from a file, or `NotFound`."""
    query = select(tables.documents).filter_by(course_id=course_id, path=path)
    row = None if path.startswith("/") else connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(Fault("course.no_document", path=path))
    return row
