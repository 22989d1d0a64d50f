"""Course files: the backup of a course that is alone in its store, without people and their questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, select, update

from services.archive.backups import restore_alone, save_backup, temporary_store
from services.archive.zipped import Backup, Manifest, open_backup
from services.clock import SystemClock
from services.courses.copies import copy_content
from services.courses.transfer import CourseContent, SqlCourseTransfer
from services.store import tables
from services.store.schema import upgrade_schema
from services.store.transactions import writing
from vta.errors import Conflict, InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types.courses import CourseId

T = TypeVar("T")


def save_course(engine: Engine, course_id: CourseId, path: Path, home: Path) -> Manifest:
    """Write a course into a new file, whole or not at all; the same course gives the same bytes.

    `Conflict` for an existing file, `NotFound` for an unknown course, `InvalidInput` for content that a
    course file cannot hold, such as a pair with the id of another course.
    """
    entries, versions = tables.faq_entries.c, tables.faq_versions
    made = select(entries.created_at).where(entries.id == versions.c.faq_id).scalar_subquery()
    with temporary_store(home) as own:
        upgrade_schema(own)
        with SqlCourseTransfer(engine, SystemClock()).reading(course_id) as content:
            SqlCourseTransfer(own, SystemClock()).add(copy_content(content), editor="")
        with writing(own) as connection:
            connection.execute(update(tables.documents).values(stored_at=None))
            connection.execute(update(versions).values(edited_at=made))
        return save_backup(own, path, course=course_id)


@contextmanager
def open_course(
    path: Path, home: Path, *, as_id: CourseId | None = None
) -> Iterator[tuple[CourseContent, Manifest]]:
    """The course of a file or backup, under its own id or another one, and the manifest of the file.

    `InvalidInput` names what is wrong in the file, also while the lists of the course are read.
    """
    with open_backup(path, bounded=True) as backup, temporary_store(home) as own, ExitStack() as stack:
        with _faults_of(backup):
            course_id = restore_alone(own, backup)
            stored = stack.enter_context(SqlCourseTransfer(own, SystemClock()).reading(course_id))
            content = copy_content(stored, as_id=as_id)
        checked = replace(
            content,
            documents=partial(_checked, backup, content.documents),
            entries=partial(_checked, backup, content.entries),
            edits=partial(_checked, backup, content.edits),
        )
        yield checked, backup.manifest


def _checked(backup: Backup, read: Callable[[], Iterable[T]]) -> Iterator[T]:
    with _faults_of(backup):
        yield from read()


@contextmanager
def _faults_of(backup: Backup) -> Iterator[None]:
    """Report each error of what is read as a fault of the file."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        reason = Fault("archive.damaged", reason=f"{type(error).__name__}: {error}")
        raise InvalidInput(Fault("archive.content", path=backup.path, reason=reason)) from error
    except (Conflict, InvalidInput, UpstreamFailed) as error:
        if error.path == backup.path:
            raise
        fault = Fault("archive.content", path=backup.path, reason=error.fault)
        raise InvalidInput(fault, path=backup.path) from error
