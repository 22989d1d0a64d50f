"""Reads a whole course from the relational store and adds one to it, without the data of people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from services.courses.settings_store import CourseSettings, keep_shown, read_settings
from services.courses.store import insert_course
from services.documents.graph_edits import insert_edits, read_edits
from services.documents.store import apply_documents, check_pair_ids, read_documents, stored_passages
from services.documents.weeks import Week, insert_weeks, stored_weeks
from services.facts.store import keep_facts, read_facts
from services.faq.rows import FOLDER_OF_ENTRIES, insert_entry, publish, read_entries
from services.store.audit_log import Event
from services.store.course_rows import require_course
from services.store.transactions import ClockedStore, reading, written_patiently
from services.test_questions.store import CourseTest, put_tests, read_tests
from vta.types.concepts import RecordedEdit
from vta.types.courses import Course, CourseId, FaqId
from vta.types.documents import CourseDocument
from vta.types.facts import CourseFacts
from vta.types.faq import FaqDraft, FaqEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEntry:
    """An FAQ entry as it is now, and when it was made; its versions and editors stay behind."""

    id: FaqId
    draft: FaqDraft
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseContent:
    """A course, its settings, and what it holds; each call of a list reads it again from its source."""

    course: Course
    settings: CourseSettings
    documents: Callable[[], Iterable[CourseDocument]]
    """The documents by path, without those of FAQ entries."""
    entries: Callable[[], Iterable[KeptEntry]]
    """The FAQ entries, oldest first."""
    facts: CourseFacts
    tests: tuple[CourseTest, ...]
    weeks: tuple[Week, ...]
    edits: Callable[[], Iterable[RecordedEdit]]
    """The standing edits of the graph, in order, without the words of removed files."""


class SqlCourseTransfer(ClockedStore):
    """Reads and adds whole courses, without keys, sessions, learners and earlier versions."""

    @contextmanager
    def reading(self, course_id: CourseId) -> Iterator[CourseContent]:
        """A course in one state of the store, readable inside the context; `NotFound` for an unknown one."""
        with reading(self._engine) as connection:
            course = require_course(connection, course_id)
            yield CourseContent(
                course=course,
                settings=read_settings(connection, course_id),
                facts=read_facts(connection, course_id),
                tests=read_tests(connection, course_id).tests,
                weeks=stored_weeks(connection, course_id),
                documents=partial(_documents, connection, course_id),
                entries=partial(_entries, connection, course_id),
                edits=partial(_edits, connection, course_id),
            )

    @written_patiently
    def add(
        self,
        connection: Connection,
        content: CourseContent,
        *,
        editor: str,
        event: Event = Event.COURSE_IMPORTED,
    ) -> None:
        """Add a course with all that it holds in one transaction, so that an error leaves nothing behind.

        `editor` becomes the author of the entries. `Conflict` for a known course id, or where another course
        has the id of a pair or entry.
        """
        course, now = content.course, self._clock.now()
        insert_course(connection, course, event)
        keep_shown(connection, course.id, content.settings)
        if content.facts != CourseFacts():
            keep_facts(connection, course.id, content.facts)
        put_tests(connection, course.id, content.tests)
        insert_weeks(connection, course.id, content.weeks)
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


def _documents(connection: Connection, course_id: CourseId) -> Iterator[CourseDocument]:
    for document in read_documents(connection, course_id):
        if not document.path.startswith(FOLDER_OF_ENTRIES):
            yield document


def _entries(connection: Connection, course_id: CourseId) -> Iterator[KeptEntry]:
    for entry, created_at in read_entries(connection, course_id):
        yield KeptEntry(id=entry.id, draft=entry.draft, created_at=created_at)


def _edits(connection: Connection, course_id: CourseId) -> Iterator[RecordedEdit]:
    if edits := read_edits(connection, course_id):
        yield from stored_passages(connection, course_id).edited(edits)
