"""Ingests that instructors start: one after another in a thread, with progress that can be asked for."""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from services.indexing.sync import sync_index
from services.wiring import Platform
from vta.errors import LimitExceeded, NotFound, VtaError
from vta.ingest.pipeline import ingest
from vta.ingest.report import IngestReport
from vta.types import Course, CourseId

REMEMBERED = 50
"""Ingests whose reports can still be read."""
MOST_WAITING = 5

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Job:
    """An ingest: `state` is waiting, reading, indexing, done or failed."""

    id: str
    course_id: CourseId
    total: int
    done: int = 0
    state: str = "waiting"
    report: IngestReport | None = None
    fault: str = ""

    @property
    def running(self) -> bool:
        return self.state in ("waiting", "reading", "indexing")


@dataclass(slots=True)
class Ingests:
    """The ingests of this process. They end before the platform is closed; what was not begun is dropped."""

    platform: Platform
    _jobs: dict[str, Job] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _executor: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(max_workers=1, thread_name_prefix="ingest")
    )

    def __post_init__(self) -> None:
        self.platform.connections.callback(self._executor.shutdown, cancel_futures=True)

    def start(self, course: Course, files: Sequence[Path], folder: Path) -> Job:
        """Read files into a course; their folder is removed afterwards. `LimitExceeded` where many wait."""
        job = Job(id=secrets.token_hex(8), course_id=course.id, total=len(files))
        with self._lock:
            if sum(each.running for each in self._jobs.values()) >= MOST_WAITING:
                raise LimitExceeded("many uploads wait to be read; try again soon")
            self._jobs[job.id] = job
            for old in [each.id for each in self._jobs.values() if not each.running][:-REMEMBERED]:
                del self._jobs[old]
        self._executor.submit(self._run, job, course, files, folder)
        return job

    def find(self, course_id: CourseId, job_id: str) -> Job:
        """An ingest of this course, or `NotFound`."""
        job = self._jobs.get(job_id)
        if job is None or job.course_id != course_id:
            raise NotFound("this upload is not known here any more")
        return job

    def _run(self, job: Job, course: Course, files: Sequence[Path], folder: Path) -> None:
        def progress(done: int, total: int) -> None:
            job.done, job.total = done, total

        stores = self.platform.stores
        try:
            job.state = "reading"
            job.report = ingest(
                files,
                course=course,
                readers=self.platform.readers,
                documents=stores.documents,
                progress=progress,
            )
            job.state = "indexing"
            sync_index(self.platform.knowledge)
            job.state = "done"
        except VtaError as failure:
            job.fault, job.state = failure.message, "failed"
        except Exception:
            _log.exception("an ingest failed")
            job.fault, job.state = "something failed on our side; it was logged", "failed"
        finally:
            shutil.rmtree(folder, ignore_errors=True)
