"""Uploads that wait for a yes, in the store, so that every server that shares it can carry them out."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import IO, Any

from sqlalchemy import Connection, delete, exists, insert, or_, select

from services.store.tables import course_sites, waiting_files, waiting_uploads
from services.store.transactions import ClockedStore, reading, written_patiently
from vta.errors import NotFound
from vta.faults import Fault
from vta.types.courses import CourseId

KEPT = timedelta(days=1)
MOST_KEPT = 5
"""Uploads of one course; the oldest gives way to a sixth. Plans of websites neither count nor grow old."""
_PIECE = 256 * 1024
"""Bytes of a row, so that no file has to be in memory as a whole."""


class SqlWaitingUploads(ClockedStore):
    """Files with details in JSON, for `KEPT`; who takes an upload has it alone."""

    @written_patiently
    def add(
        self,
        connection: Connection,
        course_id: CourseId,
        details: object,
        files: Sequence[tuple[str, Callable[[], IO[Any]]]],
    ) -> str:
        """Keep files, each by its path and what opens it; returns the id of the upload."""
        upload_id, now, table = secrets.token_hex(16), self._clock.now(), waiting_uploads
        row = {"id": upload_id, "course_id": course_id, "details": details, "made_at": now}
        by_hand = ~exists().where(course_sites.c.plan == table.c.id)
        newest = select(table.c.id).where(table.c.course_id == course_id, by_hand)
        newest = newest.order_by(table.c.made_at.desc())
        too_many = connection.scalars(newest).all()[MOST_KEPT - 1 :]
        old = or_(table.c.id.in_(too_many), table.c.made_at < now - KEPT)
        connection.execute(delete(table).where(by_hand, old))
        connection.execute(insert(table).values(row))
        for number, (path, content) in enumerate(_pieces(files)):
            piece = {"upload_id": upload_id, "number": number, "path": path, "content": content}
            connection.execute(insert(waiting_files).values(piece))
        return upload_id

    def details(self, course_id: CourseId, upload_id: str) -> Any:
        """The details of an upload of this course; `NotFound` where there is none any more."""
        query = select(waiting_uploads.c.details).filter_by(id=upload_id, course_id=course_id)
        row = self._row(query)
        if row is None:
            raise NotFound(Fault("upload.gone"))
        return row.details

    def pieces(self, upload_id: str) -> Iterator[tuple[str, bytes]]:
        """The files in order, each in pieces with its path."""
        table = waiting_files.c
        query = select(table.path, table.content).filter_by(upload_id=upload_id).order_by(table.number)
        with reading(self._engine) as connection:
            for row in connection.execution_options(yield_per=4).execute(query):
                yield row.path, row.content

    def remove(self, course_id: CourseId, upload_id: str) -> None:
        """`NotFound` where somebody else did it before."""
        if not self._execute(delete(waiting_uploads).filter_by(id=upload_id, course_id=course_id)):
            raise NotFound(Fault("upload.gone"))


def _pieces(files: Sequence[tuple[str, Callable[[], IO[Any]]]]) -> Iterator[tuple[str, bytes]]:
    for path, opened in files:
        with opened() as file:
            yield path, file.read(_PIECE)  # also of an empty file
            while piece := file.read(_PIECE):
                yield path, piece
