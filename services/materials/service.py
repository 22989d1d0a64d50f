"""Documents of courses: lists, ingests, uploads that ask first, removal, restoring and release."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from knowledge.sources.visibility import Unpacked
from services.documents.store import DocumentSummary
from services.documents.weeks import Week
from services.indexing.stored_knowledge import StoredKnowledge, sync_index
from services.materials.ingest_store import IngestState, Job
from services.materials.ingests import IngestLog, IngestQueue, Task
from services.materials.site_store import SiteChanges, SiteReading
from services.materials.upload_plans import PlannedUpload, UploadPlan, compare_upload, planned_form
from services.materials.uploads import StoredUpload, UploadFolders, unpack
from services.materials.website import Website, open_website_reader
from services.reading.bounded_readers import bounded_readers
from services.reading.given_files import GivenFile
from services.reading.pool import ReaderPool
from services.store.audit_log import acting, current_actor
from services.stores import Stores
from services.webhooks.rows import Ingested
from vta.errors import InvalidInput, NotFound, UpstreamFailed, VtaError
from vta.faults import Fault
from vta.ingest.pipeline import IngestReport, Progress, ingest
from vta.ingest.zipped import is_packed
from vta.text import normalise
from vta.types.answers import Rejection
from vta.types.courses import Course, CourseId

_JOIN_S = 2.0
"""Seconds that the end of the process waits for an ingest that stores its documents."""
_COUNTED = ("added", "unchanged", "removed", "rejected")
_log = logging.getLogger(__name__)


class DocumentOrder(StrEnum):
    PATH = "path"
    NEWEST = "newest"
    LONGEST = "longest"
    PROBLEMS = "problems"


_ORDERS: Mapping[DocumentOrder, Callable[[DocumentSummary], tuple[float, str]]] = {
    DocumentOrder.PATH: lambda each: (0.0, each.path),
    DocumentOrder.NEWEST: lambda each: (-each.stored_at.timestamp() if each.stored_at else 0.0, each.path),
    DocumentOrder.LONGEST: lambda each: (-each.pairs, each.path),
    DocumentOrder.PROBLEMS: lambda each: (-each.problems, each.path),
}


class CourseMaterials:
    """The documents of all courses of one platform, and the ingests of this process."""

    def __init__(
        self,
        stores: Stores,
        knowledge: StoredKnowledge,
        *,
        reading: ReaderPool,
        folders: UploadFolders,
        private_websites: bool = False,
    ) -> None:
        """Uploaded files lie in `folders` until they are read.

        With `private_websites` instructors may name websites of addresses that are not public.
        """
        self._documents, self._removed = stores.documents, stores.removed_documents
        self._releases, self._passages = stores.releases, stores.passages
        self._knowledge = knowledge
        self._webhooks = stores.webhooks
        self._reading = reading
        self._readers = bounded_readers(reading)
        self._folders = folders
        self._reader_of = partial(open_website_reader, wanted=self._handles, reading=reading, folders=folders)
        self._websites = self._reader_of(private=private_websites)
        self._waiting = stores.waiting_uploads
        self._queue = IngestQueue()
        self._report: Callable[[IngestReport | None], None] = lambda _: None
        self._log = IngestLog(stores.ingests)

    def documents(
        self, course_id: CourseId, sought: str = "", order: DocumentOrder = DocumentOrder.PATH
    ) -> tuple[DocumentSummary, ...]:
        """The documents, or those whose path holds what is sought, in an order; else by path."""
        found = self._documents.summaries(course_id)
        matching = (each for each in found if normalise(sought) in normalise(each.path))
        return tuple(sorted(matching, key=_ORDERS[order]))

    def ingest(
        self, course: Course, paths: Sequence[Path], progress: Progress = lambda done, total: None
    ) -> IngestReport:
        """Read files, folders and ZIPs into a course, see `pipeline.ingest`; they are searchable then."""
        found = Unpacked()
        with TemporaryDirectory(dir=self._folders.own()) as name:
            folder = Path(name)
            files = [each for path in paths for each in self._unpacked(path, folder, found)]
            report = self._read(course, StoredUpload(folder, tuple(files), found), (), progress)
        sync_index(self._knowledge)
        return report

    def upload(self, course: Course, given: Sequence[GivenFile]) -> Job | str:
        """Begin to read uploaded files and those in ZIPs, or store them where they replace something.

        Returns the ingest, or the id of the stored upload for `planned` and `confirm`. A file of an unknown
        kind refuses no other, and is passed over in a folder or ZIP.
        `InvalidInput` where no file is left, `LimitExceeded` while many uploads wait to be read.
        """
        return self._begin(course, self._store(given))

    def _begin(self, course: Course, upload: StoredUpload, folder: str = "") -> Job | str:
        """As `upload`; documents outside `folder` are not missed."""
        with _dropped_on_failure(upload):
            plan = self._compared(course, upload, folder)
            if not plan.needs_confirmation:
                return self._start(course, upload, ())
            waiting = self._wait(course, upload, plan)
        upload.drop()
        return waiting

    async def upload_site(self, course: Course, address: str) -> Job | str:
        """As `upload`, for the pages of a website under its name; missing pages are among the refused."""
        async with self._websites.fetch(course.id, address) as site:
            upload = await asyncio.to_thread(self._store_site, site)
            return await asyncio.to_thread(self._begin, course, upload, site.folder)

    async def plan_site(self, course: Course, address: str, wants_plan: Callable[[str], bool]) -> SiteReading:
        """Compare the pages of a website with the course, and store them as a plan where something differs.

        `wants_plan` says it of a digest of all pages. Where some could not be fetched, none counts as gone.
        Errors are those of `WebsiteReader.fetch` and `upload`.
        """

        def planned(site: Website) -> SiteReading:
            upload = self._store_site(site)
            try:
                refused = len(upload.found.refused)
                plan = self._compared(course, upload, site.folder)
                plan = replace(plan, missing=()) if refused else plan
                changes = SiteChanges(len(plan.new), len(plan.replaced), len(plan.missing), refused)
                stamp = upload.digest(plan.missing)
                waits = changes.differs and wants_plan(stamp)
                waiting = self._wait(course, upload, plan) if waits else None
                return SiteReading(changes=changes, stamp=stamp, plan=waiting)
            finally:
                upload.drop()

        async with self._websites.fetch(course.id, address) as site:
            return await asyncio.to_thread(planned, site)

    def ingest_site(self, course: Course, address: str, progress: Progress) -> IngestReport:
        """Read the pages of a website into a course, private addresses too, for who runs this machine.

        Pages that are gone are removed, unless some could not be fetched.
        """

        async def fetched() -> tuple[StoredUpload, str]:
            async with self._reader_of(private=True).fetch(course.id, address) as site:
                return await asyncio.to_thread(self._store_site, site), site.folder

        upload, folder = asyncio.run(fetched())
        try:
            missing = () if upload.found.refused else self._compared(course, upload, folder).missing
            report = self._read(course, upload, missing, progress)
        finally:
            upload.drop()
        sync_index(self._knowledge)
        return report

    def planned(self, course_id: CourseId, upload_id: str) -> PlannedUpload:
        """An upload of this course that waits for a confirmation, or `NotFound`."""
        details = self._waiting.details(course_id, upload_id)
        if not details:  # a table of FAQ entries
            raise NotFound(Fault("upload.gone"))
        return planned_form.validate_python(details)

    def confirm(self, course: Course, upload_id: str, *, remove_missing: bool = False) -> Job:
        """Begin to read the files of an upload, each in the place of its namesake.

        With `remove_missing` the documents of their folders that are not among them go in the same
        transaction. `NotFound` where there is no such upload, `LimitExceeded` where many wait to be read.
        """
        planned = self.planned(course.id, upload_id)
        upload = self._folders.store_pieces(self._waiting.pieces(upload_id), planned.found)
        with _dropped_on_failure(upload):
            self._waiting.remove(course.id, upload_id)
            return self._start(course, upload, planned.plan.missing if remove_missing else ())

    def begin(self, course: Course, given: Sequence[GivenFile]) -> Job:
        """Begin to read uploaded files without asking, see `upload`."""
        return self._start(course, self._store(given), ())

    def _store(self, given: Sequence[GivenFile], refused: Sequence[Rejection] = ()) -> StoredUpload:
        upload = self._folders.store(given, self._handles)
        found = upload.found
        found.refused[:0] = refused
        if not upload.files:
            upload.drop()
            if found.refused:
                raise InvalidInput(found.refused[0].fault, field="files")
            passed = found.passed_over
            fault = Fault("upload.kind", name=passed[0]) if passed else Fault("upload.none")
            raise InvalidInput(fault, field="files")
        return upload

    def _store_site(self, site: Website) -> StoredUpload:
        upload = self._store(site.files, site.failed)
        upload.found.release_at.update(site.release_at)
        upload.found.passed_over.extend(site.passed_over)
        return upload

    def _wait(self, course: Course, upload: StoredUpload, plan: UploadPlan) -> str:
        """Store an upload until somebody confirms it; its id."""
        found = upload.found
        planned = PlannedUpload(
            plan=plan,
            refused=tuple(found.refused),
            passed_over=tuple(found.passed_over),
            release_at=found.release_at,
        )
        files = [
            (each.relative_to(upload.folder).as_posix(), partial(each.open, "rb")) for each in upload.files
        ]
        return self._waiting.add(course.id, planned_form.dump_python(planned, mode="json"), files)

    def _compared(self, course: Course, upload: StoredUpload, folder: str) -> UploadPlan:
        stored = self._documents.summaries(course.id)
        plan = compare_upload(upload, self._documents.states(course.id), stored)
        return replace(plan, missing=tuple(path for path in plan.missing if path.startswith(folder)))

    def _start(self, course: Course, upload: StoredUpload, missing: Sequence[str]) -> Job:
        job = Job(id=secrets.token_hex(8), course_id=course.id, total=len(upload.files))

        def drop() -> None:
            upload.drop()
            self._log.tell(job)

        with _dropped_on_failure(upload):
            self._log.begin(job)
        actor = current_actor()

        def run() -> None:
            with acting(actor):
                self._run(job, course, upload, missing)

        self._queue.add(Task(job=job, run=run, drop=drop))
        return job

    def job(self, course_id: CourseId, job_id: str) -> Job:
        """An ingest of this course, whichever process reads it, or `NotFound`."""
        return self._log.find(course_id, job_id)

    def load(self) -> tuple[int, int]:
        """Ingests that are under way in this process, and ingests that wait."""
        return self._queue.load()

    def watch(self, report: Callable[[IngestReport | None], None]) -> None:
        """Call `report` with the report of each ingest that ends, None for a failed one."""
        self._report = report

    def remove(self, course_id: CourseId, *paths: str) -> None:
        """Take documents out of a course, and their passages out of all answers; `NotFound` for none.

        They can be restored for `removed_documents.KEPT`.
        """
        known = {each.path for each in self._documents.summaries(course_id)}
        for path in paths:
            if path not in known:
                raise NotFound(Fault("course.no_document", path=path))
        self._documents.apply(course_id, put=(), remove=paths)
        self._removed.purge()
        sync_index(self._knowledge)

    def restore(self, course_id: CourseId, paths: Sequence[str]) -> None:
        """Restore removed documents; `NotFound`, and none is restored, where one is no longer available."""
        self._removed.restore(course_id, paths)
        sync_index(self._knowledge)

    def switch(self, course_id: CourseId, path: str, digests: Collection[str], *, on: bool) -> None:
        """As `SqlPassages.switch`; searches hold to it then."""
        self._passages.switch(course_id, path, digests, on=on)
        sync_index(self._knowledge)

    def release(self, course_id: CourseId, paths: Sequence[str], at: datetime | None) -> None:
        """As `SqlReleases.set`; searches hold to it then."""
        self._releases.set(course_id, paths, at)
        sync_index(self._knowledge)

    def set_week(self, course_id: CourseId, was: str, week: Week | None) -> None:
        """As `SqlReleases.set_week`; searches hold to it then."""
        self._releases.set_week(course_id, was, week)
        sync_index(self._knowledge)

    def release_due(self) -> int:
        """Close and release the documents that are due; their number."""
        if count := self._releases.release_due():
            sync_index(self._knowledge)
        return count

    def sweep(self) -> None:
        """Erase the uploads of killed processes, and documents that were removed long ago."""
        self._folders.sweep()
        self._removed.purge()

    def close(self) -> None:
        """End the ingests: files are not read to their end, and unstored documents are dropped."""
        self._queue.stop()
        self._reading.close()
        self._queue.join(_JOIN_S)
        self._log.close()
        self._folders.close()

    def _handles(self, path: str) -> bool:
        return any(reader.handles(path) for reader in self._readers)

    def _unpacked(self, path: Path, folder: Path, found: Unpacked) -> list[Path]:
        """The files of a ZIP in a folder, or the path itself."""
        if not is_packed(path.name) or not path.is_file():
            return [path]
        files = unpack(path, folder, path=path.name, reading=self._reading, into=found)
        return [folder / each for each in files]

    def _read(
        self, course: Course, upload: StoredUpload, remove: Sequence[str], progress: Progress
    ) -> IngestReport:
        """Read the files of an upload, each in the place of its namesake."""
        found = upload.found
        report = ingest(
            upload.files,
            course=course,
            readers=self._readers,
            documents=self._documents,
            progress=progress,
            base=upload.folder,
            remove=remove,
            release_at=found.release_at,
        )
        self._releases.release_due()
        return replace(
            report,
            rejected=(*found.refused, *report.rejected),
            passed_over=(*found.passed_over, *report.passed_over),
        )

    def _run(self, job: Job, course: Course, upload: StoredUpload, missing: Sequence[str]) -> None:
        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total

        try:
            job.state = IngestState.READING
            job.report = self._read(course, upload, missing, progress)
            job.state = IngestState.INDEXING
            sync_index(self._knowledge)
            self._tell(job, job.report)
            job.state = IngestState.DONE
        except VtaError as failure:
            self._tell(job, None)
            job.fault, job.state = failure.fault, IngestState.FAILED
        except Exception:
            _log.exception("an ingest failed")
            self._tell(job, None)
            job.fault, job.state = Fault("upload.failed"), IngestState.FAILED
        finally:
            upload.drop()
            self._log.tell(job)

    def _tell(self, job: Job, report: IngestReport | None) -> None:
        """Report the end of an ingest to metrics and webhook, None for a failed one; raises nothing."""
        self._report(report)
        counts = {name: len(getattr(report, name)) for name in _COUNTED} if report else {}
        try:
            self._webhooks.note_ingest(
                job.course_id, Ingested(ingest_id=job.id, failed=report is None, **counts)
            )
        except VtaError as failure:
            _log.warning("the platform is not told of an ingest: %s", failure.message)


@contextmanager
def _dropped_on_failure(upload: StoredUpload) -> Iterator[None]:
    try:
        yield
    except BaseException as failure:
        upload.drop()
        if isinstance(failure, OSError):
            raise UpstreamFailed(Fault("upload.not_kept", reason=failure.strerror or "")) from failure
        raise
