"""The ingests of this process as the store has them, so that every process can tell how far one is."""

from __future__ import annotations

import logging
import time
from threading import Event, Lock, Thread

from services.storage.ingests import IngestState, Job, SqlIngests
from vta.errors import VtaError
from vta.faults import Fault
from vta.types import CourseId

EVERY_S = 1.0
"""Seconds between two looks at what has changed."""
SIGN_OF_LIFE_S = 10.0
"""Seconds after which it is told that an ingest goes on, though nothing has changed."""

_log = logging.getLogger(__name__)


class IngestLog:
    """Tells the store of the ingests of this process, in a thread that ends when none is under way.

    Where the store cannot be written it is tried again, and an ingest goes on meanwhile.
    """

    def __init__(self, ingests: SqlIngests) -> None:
        self._ingests = ingests
        self._jobs: dict[str, Job] = {}
        """Those of which the store does not know the end yet."""
        self._told: dict[str, tuple[float, IngestState, int]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = Event()

    def begin(self, job: Job) -> None:
        """Tell of a new ingest; as `SqlIngests.begin`."""
        self._ingests.begin(job)
        with self._lock:
            self._jobs[job.id] = job
            if self._thread is None:
                self._thread = Thread(target=self._keep_telling, name="ingest-log", daemon=True)
                self._thread.start()

    def end(self, job: Job) -> None:
        """Tell that an ingest is over."""
        self._tell(job)

    def find(self, course_id: CourseId, id: str) -> Job:
        """An ingest of this course, whichever process reads it; `NotFound` for none."""
        job = self._jobs.get(id)
        return job if job and job.course_id == course_id else self._ingests.find(course_id, id)

    def close(self) -> None:
        """What is under way ends with the process."""
        self._closed.set()
        for job in tuple(self._jobs.values()):
            if job.running:
                job.fault, job.state = Fault("reading.closed"), IngestState.FAILED
            self._tell(job)

    def _keep_telling(self) -> None:
        while not self._closed.wait(EVERY_S):
            for job in tuple(self._jobs.values()):
                at_s, *known = self._told.get(job.id, (0.0,))
                if known != [job.state, job.done] or time.monotonic() - at_s > SIGN_OF_LIFE_S:
                    self._tell(job)
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return

    def _tell(self, job: Job) -> None:
        now_s, state, done = time.monotonic(), job.state, job.done
        try:
            self._ingests.tell(job)
        except VtaError as failure:
            _log.warning("how far an ingest is cannot be told: %s", failure.message)
            return
        self._told[job.id] = now_s, state, done
        if not state.running:
            self._jobs.pop(job.id, None)
            self._told.pop(job.id, None)
