"""What instructors do with the documents of a course, by HTTP and in the console alike."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from services.http.uploads import Upload, save
from services.indexing.sync import sync_index
from services.storage.documents import DocumentSummary
from services.use_cases.ingests import Ingests, Job
from services.wiring import Platform
from vta.errors import InvalidInput, NotFound
from vta.text import normalise
from vta.types import Course, CourseId


class MaterialsDesk:
    """The documents of all courses of one platform, and the ingests of this process."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._documents = platform.stores.documents
        self._ingests = Ingests(platform)

    def documents(self, course_id: CourseId, sought: str = "") -> tuple[DocumentSummary, ...]:
        """The documents by path, or those whose path holds what is sought."""
        found = self._documents.summaries(course_id)
        return tuple(each for each in found if normalise(sought) in normalise(each.path))

    async def begin(self, course: Course, uploads: Sequence[Upload]) -> Job:
        """Begin to read uploaded files into a course, each in the place of one of the same name.

        `InvalidInput` for a kind of file that nothing reads, `LimitExceeded` where many uploads wait.
        """
        for each in uploads:
            if not any(reader.handles(each.name) for reader in self._platform.readers):
                raise InvalidInput(f"{each.name}: this kind of file is not read", field="files")
        folder = Path(tempfile.mkdtemp(prefix="vta-upload-"))
        try:
            return self._ingests.start(course, await save(uploads, folder), folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def ingest(self, course_id: CourseId, job_id: str) -> Job:
        """An ingest of this course that this process knows, or `NotFound`."""
        return self._ingests.find(course_id, job_id)

    async def remove(self, course_id: CourseId, path: str) -> None:
        """Take a document out of a course, and its passages out of all answers; `NotFound` for none."""
        known = await asyncio.to_thread(self._documents.summaries, course_id)
        if path not in {each.path for each in known}:
            raise NotFound(f"the course has no document {path!r}")
        await asyncio.to_thread(self._documents.apply, course_id, put=(), remove=[path])
        await asyncio.to_thread(sync_index, self._platform.knowledge)
