"""What instructors do with the documents of a course, by HTTP, in the console and by command alike."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from services.indexing.stored_knowledge import StoredKnowledge
from services.indexing.sync import sync_index
from services.reading.bounded_readers import bounded_readers
from services.reading.pool import ReaderPool
from services.storage.documents import DocumentSummary, SqlDocuments
from services.use_cases.ingests import IngestQueue, IngestState, Job, Task
from services.use_cases.upload_folders import GivenFile, KeptFiles, UploadFolders
from vta.errors import InvalidInput, NotFound, VtaError
from vta.faults import Fault
from vta.ingest.pipeline import Progress, ingest
from vta.ingest.report import IngestReport
from vta.ingest.zipped import is_zip, unpack_zip
from vta.text import normalise
from vta.types import Course, CourseId

_JOIN_S = 2.0
"""How long the end of the process waits for an ingest that stores what it has read."""
_log = logging.getLogger(__name__)


class CourseMaterials:
    """The documents of all courses of one platform, and the ingests of this process."""

    def __init__(
        self, *, documents: SqlDocuments, knowledge: StoredKnowledge, reading: ReaderPool, uploads: Path
    ) -> None:
        """`uploads` is the folder in which uploaded files lie until they are read."""
        self._documents = documents
        self._knowledge = knowledge
        self._reading = reading
        self._readers = bounded_readers(reading)
        self._folders = UploadFolders(uploads)
        self._queue = IngestQueue()

    def documents(self, course_id: CourseId, sought: str = "") -> tuple[DocumentSummary, ...]:
        """The documents by path, or those whose path holds what is sought."""
        found = self._documents.summaries(course_id)
        return tuple(each for each in found if normalise(sought) in normalise(each.path))

    def ingest(
        self, course: Course, paths: Sequence[Path], progress: Progress = lambda done, total: None
    ) -> IngestReport:
        """Read files, folders and ZIPs into a course, see `pipeline.ingest`; they are searchable then."""
        with TemporaryDirectory(prefix="vta-") as name:
            folder = Path(name)
            report = ingest(
                [each for path in paths for each in self._unpacked(path, folder)],
                course=course,
                readers=self._readers,
                documents=self._documents,
                progress=progress,
                base=folder,
            )
        sync_index(self._knowledge)
        return report

    def begin(self, course: Course, given: Sequence[GivenFile]) -> Job:
        """Begin to read uploaded files and those in ZIPs into a course, each in the place of its namesake.

        Of a folder or ZIP, files that nothing reads are passed over. `InvalidInput` for another file of such
        a kind, `LimitExceeded` where many uploads wait.
        """
        taken = [each for each in given if is_zip(each.name) or self._handles(each.name)]
        for each in given:
            if each not in taken and ("/" not in each.name or not taken):
                raise InvalidInput(Fault("upload.kind", name=each.name), field="files")
        kept = self._folders.keep(taken, self._handles)
        if not kept.files:
            kept.drop()
            raise InvalidInput(Fault("upload.kind", name=taken[0].name), field="files")

        def task(job: Job) -> Task:
            return Task(job=job, run=lambda: self._run(job, course, kept), drop=kept.drop)

        try:
            return self._queue.add(course.id, len(kept.files), task)
        except VtaError:
            kept.drop()
            raise

    def job(self, course_id: CourseId, job_id: str) -> Job:
        """An ingest of this course that this process knows, or `NotFound`."""
        return self._queue.find(course_id, job_id)

    def remove(self, course_id: CourseId, path: str) -> None:
        """Take a document out of a course, and its passages out of all answers; `NotFound` for none."""
        if path not in {each.path for each in self._documents.summaries(course_id)}:
            raise NotFound(Fault("course.no_document", path=path))
        self._documents.apply(course_id, put=(), remove=[path])
        sync_index(self._knowledge)

    def sweep(self) -> None:
        """Remove the uploads that a killed process left behind."""
        self._folders.sweep()

    def close(self) -> None:
        """End what is under way: files are not read to their end, and what is not stored is dropped."""
        self._queue.stop()
        self._reading.close()
        self._queue.join(_JOIN_S)
        self._folders.close()

    def _handles(self, path: str) -> bool:
        return any(reader.handles(path) for reader in self._readers)

    def _unpacked(self, path: Path, folder: Path) -> tuple[Path, ...]:
        """The files of a ZIP in a folder, or the path itself."""
        if not is_zip(path.name) or not path.is_file():
            return (path,)
        try:
            with path.open("rb") as file:
                return unpack_zip(file, folder, path=path.name, wanted=self._handles)
        except FileExistsError as error:
            twice = Fault("upload.twice", name=Path(error.filename or "").name)
            raise InvalidInput(twice.at(path.name)) from error

    def _run(self, job: Job, course: Course, kept: KeptFiles) -> None:
        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total

        try:
            job.state = IngestState.READING
            job.report = ingest(
                kept.files,
                course=course,
                readers=self._readers,
                documents=self._documents,
                progress=progress,
                base=kept.folder,
            )
            job.state = IngestState.INDEXING
            sync_index(self._knowledge)
            job.state = IngestState.DONE
        except VtaError as failure:
            job.fault, job.state = failure.fault, IngestState.FAILED
        except Exception:
            _log.exception("an ingest failed")
            job.fault, job.state = Fault("upload.failed"), IngestState.FAILED
        finally:
            kept.drop()
