"""The passages of documents as a teacher sees them, their switches, and the release dates of documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, TypeAdapter
from sqlalchemy import Connection, Row, select, update

from services.documents.rows import all_pairs, digest_of, hold_back, read_stored
from services.store import tables
from services.store.audit_log import Event, names_of, note
from services.store.course_rows import keep_changes, require_course
from services.store.outbox import Changes
from services.store.transactions import ClockedStore, SqlStore, reading, write
from vta.errors import NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import CourseId
from vta.types.pairs import QAPair

Moment = Annotated[
    AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC))
]
a_moment = TypeAdapter[datetime](Moment)
"""Checks a moment of a form or a file, or one that was moved, as those of the API are."""


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
            row = _document(connection, course_id, path)
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

    def switch(self, course_id: CourseId, path: str, digests: Collection[str], *, on: bool) -> None:
        """Switch passages of a document on or off, all of the same text together.

        `NotFound` where the document, or a passage of it, is unknown; then nothing is switched.
        """

        def action(connection: Connection) -> None:
            row = _document(connection, course_id, path)
            whole = all_pairs(row.pairs, row.held)
            if not set(digests) <= set(map(digest_of, whole)):
                raise NotFound(Fault("course.no_passage", path=path))
            before = set(row.switched_off)
            after = before.difference(digests) if on else before.union(digests)
            new = hold_back(whole, after, waits=row.waits)
            _set_columns(connection, course_id, [(row, new)])

        write(self._engine, action, patient=True)


class SqlReleases(ClockedStore):
    """Release dates. A document waits until `release_due` finds its date past."""

    def set(self, course_id: CourseId, paths: Sequence[str], at: datetime | None) -> None:
        """Release documents at a moment, at once where it is None or past; `NotFound` where one is not there.

        All in one transaction, or none.
        """

        def action(connection: Connection) -> None:
            require_course(connection, course_id)
            rows = [_document(connection, course_id, path) for path in dict.fromkeys(paths)]
            waits = at is not None and at > self._clock.now()
            new = [(row, {"release_at": at, **_waiting(row, waits=waits)}) for row in rows]
            _set_columns(connection, course_id, new)
            detail = f"{at.isoformat() if waits and at else 'now'}: {names_of([row.path for row in rows])}"
            note(connection, Event.MATERIAL_TIMED, course_id=course_id, detail=detail)

        write(self._engine, action, patient=True)

    def release_due(self) -> int:
        """Release the documents that are due; returns their number."""
        table = tables.documents
        is_due = table.c.waits & (table.c.release_at <= self._clock.now())
        courses = [row.course_id for row in self._rows(select(table.c.course_id).where(is_due).distinct())]

        def action(course: str, connection: Connection) -> int:
            due = select(table).where(is_due, table.c.course_id == course)
            rows = connection.execute(due.with_for_update()).all()
            new = [(row, _waiting(row, waits=False)) for row in rows]
            _set_columns(connection, CourseId(course), new)
            return len(rows)

        return sum(write(self._engine, partial(action, course), patient=True) for course in courses)


def _waiting(row: Row[Any], *, waits: bool) -> dict[str, Any]:
    """The columns of a document that waits for its release, or does no longer."""
    return hold_back(all_pairs(row.pairs, row.held), row.switched_off, waits=waits)


def _set_columns(
    connection: Connection, course_id: CourseId, new: Iterable[tuple[Row[Any], dict[str, Any]]]
) -> None:
    """Update columns of documents, and note the changes of their pairs."""
    changes = Changes()
    for row, columns in new:
        here = update(tables.documents).filter_by(course_id=course_id, path=row.path)
        connection.execute(here.values(**columns))
        changes.add(row.path, row._asdict(), row._asdict() | columns)
    keep_changes(connection, course_id, changes)


def _document(connection: Connection, course_id: CourseId, path: str) -> Row[Any]:
    """The row of a document that was read from a file, or `NotFound`."""
    query = select(tables.documents).filter_by(course_id=course_id, path=path)
    row = None if path.startswith("/") else connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(Fault("course.no_document", path=path))
    return row
