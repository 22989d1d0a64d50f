"""A course file: the backup of a course in a store where it is alone, without people and what they asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from sqlalchemy import Engine, select, update

from services.archive.backups import restore_alone, save_backup, temporary_store
from services.archive.zipped import Backup, Manifest, open_backup
from services.clock import SystemClock
from services.courses.copies import CourseCopy
from services.courses.transfer import SqlCourseTransfer
from services.store import tables
from services.store.schema import upgrade_schema
from services.store.transactions import writing
from vta.errors import Conflict, InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types.courses import CourseId


def save_course(engine: Engine, course_id: CourseId, path: Path, home: Path) -> Manifest:
    """Write a course into a new file, whole or not at all, alike whenever it is written.

    `Conflict` where there is a file of that name, `NotFound` for an unknown course, `InvalidInput` where it
    holds what a course file cannot, such as a pair of a foreign id.
    """
    entries, versions = tables.faq_entries.c, tables.faq_versions
    made = select(entries.created_at).where(entries.id == versions.c.faq_id).scalar_subquery()
    with temporary_store(home) as own:
        upgrade_schema(own)
        with SqlCourseTransfer(engine, SystemClock()).reading(course_id) as content:
            SqlCourseTransfer(own, SystemClock()).add(CourseCopy(content=content), editor="")
        with writing(own) as connection:
            connection.execute(update(tables.documents).values(stored_at=None))
            connection.execute(update(versions).values(edited_at=made))
        return save_backup(own, path, course=course_id)


@contextmanager
def open_course(
    path: Path, home: Path, *, as_id: CourseId | None = None
) -> Iterator[tuple[CourseCopy, Manifest]]:
    """The course of a file or backup, under its own id or another one, with what the file says of itself.

    `InvalidInput` names what is wrong with it.
    """
    with open_backup(path, bounded=True) as backup, temporary_store(home) as own:
        transfer = SqlCourseTransfer(own, SystemClock())
        course_id = _read(backup, transfer, own)
        with transfer.reading(course_id) as content:
            yield CourseCopy(content=content, as_id=as_id), backup.manifest


def _read(backup: Backup, transfer: SqlCourseTransfer, own: Engine) -> CourseId:
    """Put the course of a file into an empty store and go through it once, whatever the file holds."""
    try:
        course_id = restore_alone(own, backup)
        with transfer.reading(course_id) as content:
            copy = CourseCopy(content=content)
            for _ in chain([copy.course, copy.embedding], copy.documents(), copy.entries(), copy.edits()):
                pass
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        reason = Fault("archive.damaged", reason=f"{type(error).__name__}: {error}")
        raise InvalidInput(Fault("archive.content", path=backup.path, reason=reason)) from error
    except (Conflict, InvalidInput, UpstreamFailed) as error:
        if error.path == backup.path:
            raise
        fault = Fault("archive.content", path=backup.path, reason=error.fault)
        raise InvalidInput(fault, path=backup.path) from error
    return course_id
