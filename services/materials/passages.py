"""The passages of documents as a teacher sees them, their switches, and when documents answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, TypeAdapter
from sqlalchemy import Connection, Row, delete, select, union

from services.documents.rows import all_pairs, digest_of, hold_back, read_stored
from services.documents.weeks import (
    MOST,
    CourseWeeks,
    Week,
    clean_week,
    insert_weeks,
    read_weeks,
    set_columns,
    settle,
    unsettled,
)
from services.materials.course_reading import new_headings
from services.store import tables
from services.store.audit_log import Event, names_of, note
from services.store.course_rows import hold_course, raise_revision, require_course
from services.store.outbox import note_changes
from services.store.transactions import ClockedStore, SqlStore, reading, write, written_patiently
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.languages import Language
from vta.places import format_time
from vta.text import normalise
from vta.types.courses import CourseId
from vta.types.pairs import QAPair, Source

Moment = Annotated[
    AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9000, 1, 1, tzinfo=UTC))
]
a_moment = TypeAdapter[datetime](Moment)
"""Checks a moment of a file, or one that was moved, as those of the API are."""
_FARTHEST = timedelta(days=2)
"""More than two time zones differ."""


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

    @property
    def off(self) -> int:
        """How many passages are switched off or wait."""
        return sum(not each.is_on for each in self.passages)

    def holding(self, sought: str) -> tuple[StoredPassage, ...]:
        """The passages whose text or headings hold what is sought, all for an empty text."""
        wanted = normalise(sought)
        return tuple(each for each in self.passages if not wanted or wanted in _read_of(each.pair))

    def markdown(self) -> str:
        """The text as Markdown: headings, pages, seconds, and all passages, on or off."""
        lines: list[str] = []
        place = ""
        for pair, headings in new_headings(each.pair for each in self.passages):
            lines.extend(f"{'#' * min(depth + 1, 6)} {heading}" for depth, heading in headings)
            if (here := _place(pair)) and here != place:
                lines.append(f"<!-- {here} -->")
            place = here
            lines.extend([pair.question, pair.answer] if pair.source is Source.FAQ else [pair.answer])
        return "\n\n".join(lines) + "\n"


def _place(pair: QAPair) -> str:
    if pair.locator.start_s is not None:
        return format_time(pair.locator.start_s)
    return f"{pair.locator.page}" if pair.locator.page is not None else ""


def _read_of(pair: QAPair) -> str:
    return normalise("\n".join((pair.question, *pair.locator.heading_path, pair.answer)))


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

    @written_patiently
    def switch(
        self, connection: Connection, course_id: CourseId, path: str, digests: Collection[str], *, on: bool
    ) -> None:
        """Switch passages of a document on or off, all of the same text together.

        `NotFound` where the document, or a passage of it, is unknown; then nothing is switched.
        """
        row = _document(connection, course_id, path)
        whole = all_pairs(row.pairs, row.held)
        if not set(digests) <= set(map(digest_of, whole)):
            raise NotFound(Fault("course.no_passage", path=path))
        before = set(row.switched_off)
        after = before.difference(digests) if on else before.union(digests)
        new = hold_back(whole, after, waits=row.waits)
        set_columns(connection, course_id, [(row, new)])


class SqlReleases(ClockedStore):
    """Release dates of documents, and weeks. A document waits until `release_due` finds both past."""

    @written_patiently
    def set(
        self, connection: Connection, course_id: CourseId, paths: Sequence[str], at: datetime | None
    ) -> None:
        """Release documents at a moment, at once where it is None or past; `NotFound` where one is not there.

        All in one transaction, or none. Those of a week that is not open wait for it all the same.
        """
        require_course(connection, course_id)
        rows = [_document(connection, course_id, path) for path in dict.fromkeys(paths)]
        set_columns(connection, course_id, [(row, {"release_at": at}) for row in rows])
        day = "now" if at is None or at <= self._clock.now() else at.isoformat()
        self._settle(connection, course_id, f"{day}: {names_of([row.path for row in rows])}")

    def weeks(self, course_id: CourseId) -> CourseWeeks:
        """The weeks of a course, the first to open first."""
        with reading(self._engine) as connection:
            return read_weeks(connection, course_id)

    @written_patiently
    def set_week(self, connection: Connection, course_id: CourseId, was: str, week: Week | None) -> None:
        """Store a week in the place of the one of its path and of the one whose path it `was`; None for none.

        Its documents wait for it from now on, and those that nothing closes any more answer. `InvalidInput`
        as in `clean_week`, and for one too many.
        """
        week, was = week and clean_week(week), was.strip().strip("/")
        hold_course(connection, course_id)
        for path in {was, week.path if week else was}:
            connection.execute(delete(tables.course_weeks).filter_by(course_id=course_id, path=path))
        if week:
            insert_weeks(connection, course_id, [week])
        if len(read_weeks(connection, course_id).weeks) > MOST:
            raise InvalidInput(Fault("week.too_many", most=MOST), field="path")
        self._settle(connection, course_id, f"{week.opens}: {week.path}" if week else f"now: {was}")

    def release_due(self) -> int:
        """Let each document wait or answer as its dates say; returns how many that changes."""
        now, weeks, files = self._clock.now(), tables.course_weeks.c, tables.documents.c
        lately = (now - _FARTHEST).date().isoformat()
        query = union(
            select(files.course_id).where(files.waits), select(weeks.course_id).where(weeks.opens > lately)
        )
        with reading(self._engine) as connection:
            courses = [CourseId(row.course_id) for row in connection.execute(query)]
            due = [each for each in courses if unsettled(connection, each, now)]
        settled = (partial(settle, course_id=each, now=now) for each in due)
        return sum(write(self._engine, action, patient=True) for action in settled)

    def _settle(self, connection: Connection, course_id: CourseId, detail: str) -> None:
        """Settle the files of a course; a date that is told to students is another at once."""
        settle(connection, course_id, self._clock.now())
        note_changes(connection, raise_revision(connection, course_id), course_id, {})
        note(connection, Event.MATERIAL_TIMED, course_id=course_id, detail=detail)


def _document(connection: Connection, course_id: CourseId, path: str) -> Row[Any]:
    """The row of a document that was read from a file, or `NotFound`."""
    query = select(tables.documents).filter_by(course_id=course_id, path=path)
    row = None if path.startswith("/") else connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(Fault("course.no_document", path=path))
    return row
