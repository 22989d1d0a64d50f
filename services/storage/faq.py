"""The FAQ entries of instructors in the relational store, every version of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, func, insert, select, update

from services.storage import tables
from services.storage.courses import find_course, unknown_course
from services.storage.documents import apply_documents
from services.storage.transactions import reading, write
from vta.errors import Conflict, NotFound, QuestionTaken
from vta.faq import bare, clean_draft, faq_pair
from vta.faults import Fault
from vta.ports import Clock
from vta.text import normalise
from vta.types import Course, CourseDocument, CourseId, FaqDraft, FaqEntry, FaqId, PairId

FOLDER_OF_ENTRIES = "/faq/"
"""Entries are stored as documents under it, so that the index follows them; no file has such a path."""

_ENTRIES_AT_ONCE = 200


class SqlFaq:
    """The port `FaqRepository`: an entry, its version and its pair are written in one transaction."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    def entries(self, course_id: CourseId) -> tuple[FaqEntry, ...]:
        entries = tables.faq_entries.c
        query = _select_newest(course_id).order_by(entries.created_at, entries.id)
        with reading(self._engine) as connection:
            if find_course(connection, course_id) is None:
                raise unknown_course(course_id)
            return tuple(map(_entry, connection.execute(query)))

    def page(
        self,
        course_id: CourseId,
        *,
        sought: str = "",
        removed: bool = False,
        newest_first: bool = False,
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[int, tuple[FaqEntry, ...]]:
        entries, versions = tables.faq_entries.c, tables.faq_versions.c
        newest = _select_newest(course_id, removed=removed)
        order = (versions.edited_at.desc(), entries.id) if newest_first else (entries.created_at, entries.id)
        wanted = normalise(sought)
        with reading(self._engine) as connection:
            if find_course(connection, course_id) is None:
                raise unknown_course(course_id)
            if not wanted:
                total = connection.execute(select(func.count()).select_from(newest.subquery())).scalar_one()
                rows = connection.execute(newest.order_by(*order).limit(limit).offset(offset))
                return total, tuple(map(_entry, rows))
            texts = (versions.faq_id, versions.question, versions.answer, versions.similar_questions)
            found = [
                row.faq_id
                for row in connection.execute(newest.order_by(*order).with_only_columns(*texts))
                if _holds((row.question, row.answer, *row.similar_questions), wanted)
            ]
            shown = newest.where(versions.faq_id.in_(found[offset : offset + limit]))
            return len(found), tuple(map(_entry, connection.execute(shown.order_by(*order))))

    def history(self, course_id: CourseId, faq_id: FaqId) -> tuple[FaqEntry, ...]:
        query = _select_versions(course_id).where(tables.faq_entries.c.id == faq_id)
        with reading(self._engine) as connection:
            found = tuple(map(_entry, connection.execute(query.order_by(tables.faq_versions.c.version))))
        if not found:
            raise unknown_entry(course_id, faq_id)
        return found

    def add(
        self,
        course_id: CourseId,
        drafts: Sequence[FaqDraft],
        *,
        editor: str,
        changed: Sequence[tuple[FaqEntry, FaqDraft]] = (),
    ) -> tuple[FaqEntry, ...]:
        new = [clean_draft(draft) for draft in drafts]
        edits = [(before, clean_draft(draft)) for before, draft in changed]

        def action(connection: Connection) -> tuple[FaqEntry, ...]:
            for before, _ in edits:
                _check_version(newest_entry(connection, course_id, before.id), before.version)
            return self.add_within(connection, course_id, new, editor=editor, changed=edits)

        return write(self._engine, action)

    def edit(
        self, course_id: CourseId, faq_id: FaqId, draft: FaqDraft, *, editor: str, expected: int
    ) -> FaqEntry:
        cleaned = clean_draft(draft)

        def action(connection: Connection) -> FaqEntry:
            before = newest_entry(connection, course_id, faq_id)
            _check_version(before, expected)
            return self.edit_within(connection, before, cleaned, editor=editor)

        return write(self._engine, action)

    def remove(self, course_id: CourseId, faq_id: FaqId, *, editor: str, expected: int) -> FaqEntry:
        def action(connection: Connection) -> FaqEntry:
            before = newest_entry(connection, course_id, faq_id)
            _check_version(before, expected)
            if before.removed:
                return before
            entry = self._next(before, before.draft, editor, removed=True)
            apply_documents(connection, course_id, put=(), remove=[_path(entry.id)])
            _keep(connection, entry)
            return entry

        return write(self._engine, action)

    def add_within(
        self,
        connection: Connection,
        course_id: CourseId,
        drafts: Sequence[FaqDraft],
        *,
        editor: str,
        changed: Sequence[tuple[FaqEntry, FaqDraft]] = (),
    ) -> tuple[FaqEntry, ...]:
        """What `add` does with clean drafts, as a part of the transaction of a caller.

        Each is a microsecond younger than the one before it, so that lists keep the order of a table.
        """
        now = self._clock.now()
        new = tuple(
            FaqEntry(
                id=FaqId(uuid.uuid4().hex),
                course_id=course_id,
                version=1,
                draft=draft,
                editor=editor,
                edited_at=now + timedelta(microseconds=number),
            )
            for number, draft in enumerate(drafts)
        )
        edited = [self._next(before, draft, editor) for before, draft in changed]
        _publish(connection, course_id, [*edited, *new])
        for entry in edited:
            _claim_question(connection, entry)
            _keep(connection, entry)
        for entry in new:
            insert_entry(connection, entry, created_at=entry.edited_at)
        return new

    def edit_within(
        self, connection: Connection, before: FaqEntry, draft: FaqDraft, *, editor: str
    ) -> FaqEntry:
        """The next version of an entry with a clean draft, as a part of the transaction of a caller."""
        entry = self._next(before, draft, editor)
        _claim_question(connection, entry)
        _publish(connection, entry.course_id, [entry])
        _keep(connection, entry)
        return entry

    def _next(self, before: FaqEntry, draft: FaqDraft, editor: str, *, removed: bool = False) -> FaqEntry:
        return FaqEntry(
            id=before.id,
            course_id=before.course_id,
            version=before.version + 1,
            draft=draft,
            editor=editor,
            edited_at=self._clock.now(),
            removed=removed,
        )


def _holds(texts: Sequence[str], sought: str) -> bool:
    return any(sought in normalise(text) for text in texts)


def newest_entry(connection: Connection, course_id: CourseId, faq_id: FaqId) -> FaqEntry:
    """The newest version of an entry, removed or not, held until the transaction ends; else `NotFound`."""
    entries, versions = tables.faq_entries.c, tables.faq_versions.c
    held = select(entries.version).where(entries.id == faq_id, entries.course_id == course_id)
    newest = connection.execute(held.with_for_update()).scalar_one_or_none()
    if newest is None:
        raise unknown_entry(course_id, faq_id)
    query = _select_versions(course_id).where(entries.id == faq_id, versions.version == newest)
    return _entry(connection.execute(query).one())


def unknown_entry(course_id: CourseId, faq_id: FaqId) -> NotFound:
    """The error for an entry that is not there, or is another course's."""
    return NotFound(Fault("faq_entry.unknown", entry=faq_id, course=course_id))


def _check_version(newest: FaqEntry, expected: int) -> None:
    if newest.version != expected:
        raise Conflict(
            Fault(
                "faq_entry.changed",
                entry=newest.id,
                version=newest.version,
                expected=expected,
                editor=newest.editor,
            )
        )


def _claim_question(connection: Connection, entry: FaqEntry) -> None:
    table = tables.faq_entries.c
    same = select(table.id).where(
        table.course_id == entry.course_id,
        table.question_key == bare(entry.draft.question),
        table.id != entry.id,
    )
    taken = connection.execute(same).scalar_one_or_none()
    if taken is not None:
        raise QuestionTaken(taken)


def _publish(connection: Connection, course_id: CourseId, entries: Sequence[FaqEntry]) -> None:
    """Put the pairs of entries into the store, whose outbox the index follows."""
    course = find_course(connection, course_id)
    if course is None:
        raise unknown_course(course_id)
    documents = [entry_document(entry, course) for entry in entries]
    apply_documents(connection, course_id, put=documents)


def entry_document(entry: FaqEntry, course: Course) -> CourseDocument:
    """The document that an entry is in the store, so that the index has its pair."""
    return CourseDocument(
        path=_path(entry.id),
        sha256=f"version-{entry.version}",
        pairs=(faq_pair(entry.draft, PairId(f"faq-{entry.id}"), course=course, document=None),),
    )


def insert_entry(connection: Connection, entry: FaqEntry, *, created_at: datetime) -> None:
    """Keep the first version of a new entry; its document is the caller's to put.

    `Conflict` where another entry asks the same question, or has the id.
    """
    table = tables.faq_entries
    if connection.execute(select(table.c.id).where(table.c.id == entry.id)).first() is not None:
        raise Conflict(Fault("faq_entry.exists", entry=entry.id))
    _claim_question(connection, entry)
    row = {"id": entry.id, "question_key": bare(entry.draft.question), "created_at": created_at}
    connection.execute(insert(table).values(course_id=entry.course_id, version=entry.version, **row))
    connection.execute(insert(tables.faq_versions).values(_version_row(entry)))


def read_entries(connection: Connection, course_id: CourseId) -> Iterator[tuple[FaqEntry, datetime]]:
    """The entries of a course that are not removed, oldest first, each with when it was made."""
    entries = tables.faq_entries.c
    present = _select_newest(course_id).add_columns(entries.created_at)
    query = present.order_by(entries.created_at, entries.id)
    for row in connection.execute(query.execution_options(yield_per=_ENTRIES_AT_ONCE)):
        yield _entry(row), row.created_at


def _keep(connection: Connection, entry: FaqEntry) -> None:
    table = tables.faq_entries
    key = None if entry.removed else bare(entry.draft.question)
    connection.execute(
        update(table).where(table.c.id == entry.id).values(version=entry.version, question_key=key)
    )
    connection.execute(insert(tables.faq_versions).values(_version_row(entry)))


def _path(faq_id: FaqId) -> str:
    return f"{FOLDER_OF_ENTRIES}{faq_id}"


def _version_row(entry: FaqEntry) -> dict[str, object]:
    return {
        "faq_id": entry.id,
        "version": entry.version,
        "question": entry.draft.question,
        "answer": entry.draft.answer,
        "similar_questions": list(entry.draft.similar_questions),
        "negative_questions": list(entry.draft.negative_questions),
        "editor": entry.editor,
        "edited_at": entry.edited_at,
        "removed": entry.removed,
    }


def _select_newest(course_id: CourseId, *, removed: bool = False) -> Select[Any]:
    """The newest versions of the entries of a course, of those that are removed or of those that are not."""
    versions = tables.faq_versions.c
    return _select_versions(course_id).where(
        versions.version == tables.faq_entries.c.version, versions.removed.is_(removed)
    )


def _select_versions(course_id: CourseId) -> Select[Any]:
    """The columns of `_entry`."""
    joined = select(tables.faq_versions, tables.faq_entries.c.course_id).join_from(
        tables.faq_versions, tables.faq_entries
    )
    return joined.where(tables.faq_entries.c.course_id == course_id)


def _entry(row: Row[Any]) -> FaqEntry:
    return FaqEntry(
        id=FaqId(row.faq_id),
        course_id=CourseId(row.course_id),
        version=row.version,
        draft=FaqDraft(
            question=row.question,
            answer=row.answer,
            similar_questions=tuple(row.similar_questions),
            negative_questions=tuple(row.negative_questions),
        ),
        editor=row.editor,
        edited_at=row.edited_at,
        removed=row.removed,
    )
