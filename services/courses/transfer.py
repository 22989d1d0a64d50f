"""A whole course out of the relational store, and into it: all of it that is no person's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sqlalchemy import Connection, Engine

from services.courses.settings_store import Embedding, keep_embedding, read_embedding
from services.courses.store import insert_course
from services.documents.graph_edits import insert_edits, read_edits
from services.documents.store import apply_documents, check_pair_ids, read_documents, stored_passages
from services.faq.rows import FOLDER_OF_ENTRIES, insert_entry, publish, read_entries
from services.store.audit_log import Event
from services.store.course_rows import find_course, unknown_course
from services.store.transactions import reading, write
from vta.ports import Clock
from vta.types.concepts import RecordedEdit
from vta.types.courses import Course, CourseId, FaqId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft, FaqEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEntry:
    """An FAQ entry as it is now, and when it was made; its versions and editors stay behind."""

    id: FaqId
    draft: FaqDraft
    created_at: datetime


class CourseContent(Protocol):
    """A course, its settings, and what it holds. The three lists may be gone through more than once."""

    @property
    def course(self) -> Course: ...

    @property
    def embedding(self) -> Embedding: ...

    def documents(self) -> Iterator[CourseDocument]:
        """The documents by path, those of FAQ entries left out."""
        ...

    def entries(self) -> Iterator[KeptEntry]:
        """The FAQ entries, oldest first."""
        ...

    def edits(self) -> Iterator[RecordedEdit]:
        """The edits of the graph that were not undone, in order, without words of files that were removed."""
        ...


class SqlCourseTransfer:
    """Reads and adds courses as a whole: without keys, sessions, learners, or the versions of the past."""

    def __init__(self, engine: Engine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock

    @contextmanager
    def reading(self, course_id: CourseId) -> Iterator[CourseContent]:
        """A course in one state of the store, to be gone through inside; `NotFound` for an unknown one."""
        with reading(self._engine) as connection:
            course = find_course(connection, course_id)
            if course is None:
                raise unknown_course(course_id)
            yield _StoredCourse(connection, course)

    def add(self, content: CourseContent, *, editor: str, event: Event = Event.COURSE_IMPORTED) -> None:
        """Add a course with all that it holds, in one transaction: whatever is raised, nothing is kept.

        `editor` is said to have written the entries. `Conflict` where the course is there already, or the
        id of one of its pairs or entries is another course's.
        """
        course, now = content.course, self._clock.now()

        def action(connection: Connection) -> None:
            insert_course(connection, course, event)
            keep_embedding(connection, course.id, content.embedding)
            apply_documents(connection, course.id, put=content.documents())
            entries = []
            for each in content.entries():
                added = FaqEntry(
                    id=each.id, course_id=course.id, version=1, draft=each.draft, editor=editor, edited_at=now
                )
                insert_entry(connection, added, created_at=each.created_at)
                entries.append(added)
            publish(connection, course.id, entries)
            insert_edits(connection, course.id, tuple(content.edits()))
            check_pair_ids(connection, course.id)

        write(self._engine, action, patient=True)


@dataclass(frozen=True, slots=True)
class _StoredCourse:
    """`CourseContent` of the store, as long as its transaction is open."""

    _connection: Connection
    course: Course

    @property
    def embedding(self) -> Embedding:
        return read_embedding(self._connection, self.course.id)

    def documents(self) -> Iterator[CourseDocument]:
        for document in read_documents(self._connection, self.course.id):
            if not document.path.startswith(FOLDER_OF_ENTRIES):
                yield document

    def entries(self) -> Iterator[KeptEntry]:
        for entry, created_at in read_entries(self._connection, self.course.id):
            yield KeptEntry(id=entry.id, draft=entry.draft, created_at=created_at)

    def edits(self) -> Iterator[RecordedEdit]:
        if edits := read_edits(self._connection, self.course.id):
            yield from stored_passages(self._connection, self.course.id).edited(edits)
