"""FAQ entries that are added, changed and restored together, in the relational store."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, insert, select, update

from services.faq.rows import (
    check_version,
    claim_question,
    newest_entry,
    other_that_asks,
    select_newest,
    select_versions,
    to_entry,
    write_versions,
)
from services.faq.store import SqlFaq
from services.store import tables
from services.store.course_rows import require_course
from services.store.rows import as_row, from_row
from services.store.transactions import ClockedStore, reading, written_patiently
from vta.errors import Conflict, NotFound
from vta.faq import clean_category, clean_draft
from vta.faults import Fault
from vta.ports import Clock
from vta.types.courses import CourseId, FaqId
from vta.types.faq import FaqBatch, FaqBatchKind, FaqChange, FaqDraft, FaqEntry, FaqState, FaqUndone


class SqlFaqBatches(ClockedStore):
    """FAQ entries that are added and changed together, and undone together.

    Each version that a batch writes names it, so undoing needs nothing more.
    """

    def __init__(self, engine: Engine, clock: Clock, faq: SqlFaq) -> None:
        super().__init__(engine, clock)
        self._faq = faq

    @written_patiently
    def import_rows(
        self,
        connection: Connection,
        course_id: CourseId,
        new: Sequence[FaqDraft],
        changed: Sequence[tuple[FaqEntry, FaqDraft]],
        *,
        editor: str,
        file: str,
    ) -> FaqBatch:
        """New entries and the next versions of others, all of them or none.

        `QuestionTaken` as in `SqlFaq.add`, `Conflict` where one of `changed` is not the newest.
        """
        drafts = [clean_draft(draft) for draft in new]
        edits = [(before, clean_draft(draft)) for before, draft in changed]
        for before, _ in edits:
            check_version(newest_entry(connection, course_id, before.id), before.version)
        counts = {"added": len(drafts), "changed": len(edits)}
        batch = self._new(course_id, FaqBatchKind.IMPORT, detail=file, editor=editor, **counts)
        versions = [self._faq.next_version(before, draft, editor) for before, draft in edits]
        _write(connection, batch, versions)
        self._faq.add_within(connection, course_id, drafts, editor=editor, batch=batch.id)
        return batch

    @written_patiently
    def change(
        self,
        connection: Connection,
        course_id: CourseId,
        faq_ids: Sequence[FaqId],
        change: FaqChange,
        *,
        editor: str,
    ) -> FaqBatch | None:
        """The same change to the newest versions of entries; None where it changes none of them.

        `NotFound` for an entry of another course, `QuestionTaken` for a restored one whose question is taken.
        """
        if change.category is not None:
            change = replace(change, category=clean_category(change.category))
        kind, detail = _described(change)
        found = [newest_entry(connection, course_id, each) for each in dict.fromkeys(faq_ids)]
        pairs = [(before, self._changed(before, change, editor)) for before in found]
        versions = [
            after for before, after in pairs if (before.draft, before.removed) != (after.draft, after.removed)
        ]
        if not versions:
            return None
        counts = {"added": 0, "changed": len(versions)}
        batch = self._new(course_id, kind, detail=detail, editor=editor, **counts)
        _write(connection, batch, versions)
        return batch

    def batches(self, course_id: CourseId, *, limit: int = 50) -> tuple[FaqBatch, ...]:
        """The last batches, newest first."""
        table = tables.faq_batches
        newest = select(table).filter_by(course_id=course_id).order_by(table.c.made_at.desc(), table.c.id)
        with reading(self._engine) as connection:
            require_course(connection, course_id)
            newest = newest.limit(limit)
            return tuple(from_row(FaqBatch, row) for row in connection.execute(newest))

    def batch(self, course_id: CourseId, batch_id: str) -> FaqBatch:
        """One of them; `NotFound` for another course's."""
        with reading(self._engine) as connection:
            return _find(connection, course_id, batch_id)

    def written(self, course_id: CourseId, batch_id: str, *, limit: int = 50) -> tuple[FaqEntry, ...]:
        """The versions that a batch wrote, by their questions."""
        versions = tables.faq_versions.c
        query = select_versions(course_id).where(versions.batch_id == batch_id)
        with reading(self._engine) as connection:
            _find(connection, course_id, batch_id)
            rows = connection.execute(query.order_by(versions.question, versions.faq_id).limit(limit))
            return tuple(map(to_entry, rows))

    @written_patiently
    def undo(self, connection: Connection, course_id: CourseId, batch_id: str, *, editor: str) -> FaqUndone:
        """Remove the entries that a batch added and restore those that it changed, unless edited since.

        An entry stays if another one asks its question by now. `Conflict` where the batch is undone already.
        """
        batch = _find(connection, course_id, batch_id, held=True)
        if batch.undone_at is not None:
            raise Conflict(Fault("faq_batch.undone"), field="batch")
        versions: list[FaqEntry] = []
        untouched: list[FaqEntry] = []
        for newest, number, before in _with_before(connection, course_id, batch_id):
            as_before = before or replace(newest, removed=True)
            removed = as_before.removed
            entry = self._faq.next_version(newest, as_before.draft, editor, removed=removed)
            if newest.version != number or (not removed and other_that_asks(connection, entry)):
                untouched.append(newest)
            else:
                versions.append(entry)
        write_versions(connection, versions)
        now = self._clock.now()
        connection.execute(update(tables.faq_batches).filter_by(id=batch_id).values(undone_at=now))
        return FaqUndone(batch=replace(batch, undone_at=now), undone=len(versions), kept=tuple(untouched))

    def _changed(self, before: FaqEntry, change: FaqChange, editor: str) -> FaqEntry:
        category = before.draft.category if change.category is None else change.category
        draft = replace(before.draft, category=category, state=change.state or before.draft.state)
        removed = before.removed if change.removed is None else change.removed
        return self._faq.next_version(before, draft, editor, removed=removed)

    def _new(self, course_id: CourseId, kind: FaqBatchKind, **fields: Any) -> FaqBatch:
        batch_id, now = uuid.uuid4().hex, self._clock.now()
        return FaqBatch(id=batch_id, course_id=course_id, kind=kind, made_at=now, **fields)


def _write(connection: Connection, batch: FaqBatch, versions: Sequence[FaqEntry]) -> None:
    """Keep a batch and the versions that it writes; `QuestionTaken` where another entry asks the same."""
    connection.execute(insert(tables.faq_batches).values(as_row(batch)))
    for entry in versions:
        if not entry.removed:
            claim_question(connection, entry)
    write_versions(connection, versions, batch=batch.id)


def _described(change: FaqChange) -> tuple[FaqBatchKind, str]:
    if change.removed is not None:
        return FaqBatchKind.REMOVE if change.removed else FaqBatchKind.RESTORE, ""
    if change.state is not None:
        return FaqBatchKind.LIVE if change.state is FaqState.LIVE else FaqBatchKind.DRAFT, ""
    return FaqBatchKind.CATEGORY, change.category or ""


def _with_before(
    connection: Connection, course_id: CourseId, batch_id: str
) -> list[tuple[FaqEntry, int, FaqEntry | None]]:
    """Of each entry that a batch wrote: its newest version, the batch's version, and the one before that."""
    versions = tables.faq_versions.c
    written = select(versions.faq_id, versions.version).filter_by(batch_id=batch_id)
    wrote = {FaqId(row.faq_id): row.version for row in connection.execute(written)}
    theirs = versions.faq_id.in_(written.with_only_columns(versions.faq_id).correlate(None))
    newest = map(to_entry, connection.execute(select_newest(course_id, removed=None).where(theirs)))
    every = map(to_entry, connection.execute(select_versions(course_id).where(theirs)))
    before = {each.id: each for each in every if each.version == wrote[each.id] - 1}
    return [(each, wrote[each.id], before.get(each.id)) for each in newest]


def _find(connection: Connection, course_id: CourseId, batch_id: str, *, held: bool = False) -> FaqBatch:
    query = select(tables.faq_batches).filter_by(id=batch_id, course_id=course_id)
    row = connection.execute(query.with_for_update() if held else query).one_or_none()
    if row is None:
        raise NotFound(Fault("faq_batch.unknown", batch=batch_id, course=course_id))
    return from_row(FaqBatch, row)
