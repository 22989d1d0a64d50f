"""The FAQ entries of instructors in the relational store, every version of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import Connection, Engine, func, select

from services.documents.store import read_faq_pairs
from services.faq.rows import (
    FaqPage,
    check_version,
    claim_question,
    count_asked,
    insert_entry,
    newest_entry,
    publish,
    read_page,
    select_newest,
    select_versions,
    to_entry,
    unknown_entry,
    write_versions,
)
from services.store import tables
from services.store.course_rows import course_revision, require_course
from services.store.transactions import ClockedStore, SqlStore, reading, write, written
from vta.course_cache import CourseCache
from vta.faq import clean_draft, comparison_key, wordings_of
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqDraft, FaqEntry, FaqQuery
from vta.types.pairs import QAPair

CACHED_COURSES = 4
"""Courses whose wordings are in memory, each at one revision of the course."""


class SqlFaq(ClockedStore):
    """The FAQ entries that instructors write. Each is live as a pair from the moment it is acknowledged.

    An entry, its version and its pair are written in one transaction.
    """

    def entries(self, course_id: CourseId) -> tuple[FaqEntry, ...]:
        """The newest version of every entry that is not removed, oldest entry first."""
        entries = tables.faq_entries.c
        query = select_newest(course_id).order_by(entries.created_at, entries.id)
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            return tuple(map(to_entry, connection.execute(query)))

    def page(self, course_id: CourseId, query: FaqQuery, *, offset: int = 0, limit: int = 50) -> FaqPage:
        """Some of the entries that a query finds."""
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            return read_page(connection, course_id, query, offset=offset, limit=limit)

    def categories(self, course_id: CourseId) -> Mapping[str, int]:
        """The categories of the entries that are not removed, in order, with how many have them."""
        category = tables.faq_versions.c.category
        used = select_newest(course_id).where(category != "")
        counted = used.with_only_columns(category, func.count().label("n"))
        rows = self._rows(counted.group_by(category).order_by(category))
        return {row.category: row.n for row in rows}

    def asked(self, course_id: CourseId, faq_ids: Sequence[FaqId]) -> Mapping[FaqId, int]:
        """How often each of these entries was the first source of an answer, or a TA's answer."""
        counted = count_asked(course_id)
        rows = self._rows(select(counted).where(counted.c.faq_id.in_(faq_ids)))
        return {FaqId(row.faq_id): row.times for row in rows}

    def history(self, course_id: CourseId, faq_id: FaqId) -> tuple[FaqEntry, ...]:
        """All versions of an entry, oldest first; `NotFound` for an entry of another course."""
        query = select_versions(course_id).where(tables.faq_entries.c.id == faq_id)
        found = tuple(map(to_entry, self._rows(query.order_by(tables.faq_versions.c.version))))
        if not found:
            raise unknown_entry(course_id, faq_id)
        return found

    def add(self, course_id: CourseId, drafts: Sequence[FaqDraft], *, editor: str) -> tuple[FaqEntry, ...]:
        """New entries: all of them or none. `QuestionTaken` where an entry asks the same question already."""
        new = [clean_draft(draft) for draft in drafts]
        return write(
            self._engine, lambda connection: self.add_within(connection, course_id, new, editor=editor)
        )

    @written
    def edit(
        self,
        connection: Connection,
        course_id: CourseId,
        faq_id: FaqId,
        draft: FaqDraft,
        *,
        editor: str,
        expected: int,
    ) -> FaqEntry:
        """The next version, which also brings a removed entry back.

        `Conflict` where the newest version is not `expected`, `QuestionTaken` where another entry asks the
        same question.
        """
        cleaned = clean_draft(draft)
        before = newest_entry(connection, course_id, faq_id)
        check_version(before, expected)
        return self.edit_within(connection, before, cleaned, editor=editor)

    @written
    def remove(
        self, connection: Connection, course_id: CourseId, faq_id: FaqId, *, editor: str, expected: int
    ) -> FaqEntry:
        """The version that removes the entry; its history stays. `Conflict` as in `edit`."""
        before = newest_entry(connection, course_id, faq_id)
        check_version(before, expected)
        if before.removed:
            return before
        entry = self.next_version(before, before.draft, editor, removed=True)
        write_versions(connection, [entry])
        return entry

    def add_within(
        self,
        connection: Connection,
        course_id: CourseId,
        drafts: Sequence[FaqDraft],
        *,
        editor: str,
        batch: str | None = None,
    ) -> tuple[FaqEntry, ...]:
        """`add` clean drafts in the caller's transaction.

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
        publish(connection, course_id, new)
        for entry in new:
            insert_entry(connection, entry, created_at=entry.edited_at, batch=batch)
        return new

    def edit_within(
        self, connection: Connection, before: FaqEntry, draft: FaqDraft, *, editor: str
    ) -> FaqEntry:
        """`edit` an entry with a clean draft in the caller's transaction."""
        entry = self.next_version(before, draft, editor)
        claim_question(connection, entry)
        write_versions(connection, [entry])
        return entry

    def next_version(
        self, before: FaqEntry, draft: FaqDraft, editor: str, *, removed: bool = False
    ) -> FaqEntry:
        """The version after one; nothing is written."""
        return replace(
            before,
            version=before.version + 1,
            draft=draft,
            editor=editor,
            edited_at=self._clock.now(),
            removed=removed,
        )


class SqlExactMatches(SqlStore):
    """The port `ExactMatches`. The wordings of a course are read once a revision of it, when asked for."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._kept = CourseCache[Mapping[str, QAPair]](CACHED_COURSES)

    def find(self, course_id: CourseId, question: str) -> QAPair | None:
        return self._wordings(course_id).get(comparison_key(question))

    def _wordings(self, course_id: CourseId) -> Mapping[str, QAPair]:
        with reading(self._engine) as connection:
            return self._kept.get(
                course_id,
                course_revision(connection, course_id),
                lambda: by_wording(read_faq_pairs(connection, course_id)),
            )


def by_wording(pairs: Iterable[QAPair]) -> Mapping[str, QAPair]:
    """The pairs by each of their wordings; an instructor's entry goes before a pair from a file."""
    found: dict[str, QAPair] = {}
    for pair in pairs:
        for wording in wordings_of(pair):
            before = found.get(wording)
            if before is None or (before.document is not None and pair.document is None):
                found[wording] = pair
    return found
