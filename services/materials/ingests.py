"""Ingests that instructors start: those of a course one after another, those of different courses in turn."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from time import monotonic

from services.materials.ingest_store import IngestState, Job, SqlIngests
from vta.errors import NotReady, VtaError
from vta.faults import Fault
from vta.types.courses import CourseId

MOST_COURSES = 16
"""Whose ingests are under way at once. Reading is bounded by `ReaderPool`; this bounds what was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The work of a job: `run` it, or `drop` it without a start."""

    job: Job
    run: Callable[[], None]
    drop: Callable[[], None]


@dataclass(slots=True)
class IngestQueue:
    """The ingests of this process, in threads that end when there is nothing to do.

    A course with many ingests goes to the end of the line after each, so that it holds up no other.
    """

    _waiting: dict[CourseId, deque[Task]] = field(default_factory=dict)
    _ready: deque[CourseId] = field(default_factory=deque)
    """Courses that have something waiting and nothing under way, the longest waiting first."""
    _busy: set[CourseId] = field(default_factory=set)
    _threads: list[Thread] = field(default_factory=list)
    _workers: int = 0
    """Threads that will look for something to do before they end."""
    _lock: Lock = field(default_factory=Lock)
    _closed: bool = False

    def add(self, task: Task) -> None:
        """Put an ingest into its course's line. `NotReady` where the queue was stopped, and it is dropped."""
        course_id = task.job.course_id
        with self._lock:
            is_open = not self._closed
            if is_open:
                self._waiting.setdefault(course_id, deque()).append(task)
                if course_id not in self._busy and course_id not in self._ready:
                    self._ready.append(course_id)
                if self._workers < min(MOST_COURSES, len(self._busy) + len(self._ready)):
                    self._workers += 1
                    thread = Thread(target=self._work, name="ingest", daemon=True)
                    self._threads = [*filter(Thread.is_alive, self._threads), thread]
                    thread.start()
        if not is_open:
            _drop(task)
            raise NotReady(Fault("reading.closed"))

    def load(self) -> tuple[int, int]:
        """Ingests that are under way, and ingests that wait."""
        with self._lock:
            return len(self._busy), sum(map(len, self._waiting.values()))

    def stop(self) -> None:
        """Start no further ingest and drop the waiting ones."""
        with self._lock:
            self._closed = True
            dropped = [task for tasks in self._waiting.values() for task in tasks]
            self._waiting.clear()
            self._ready.clear()
        for task in dropped:
            _drop(task)

    def join(self, seconds: float) -> None:
        """Wait some seconds for the running ingests, which end with the process at the latest."""
        end = monotonic() + seconds
        for thread in list(self._threads):
            thread.join(max(0.0, end - monotonic()))

    def _work(self) -> None:
        while (task := self._next()) is not None:
            try:
                task.run()
            finally:
                self._end(task.job.course_id)

    def _next(self) -> Task | None:
        with self._lock:
            if not self._ready:
                self._workers -= 1
                return None
            course_id = self._ready.popleft()
            self._busy.add(course_id)
            return self._waiting[course_id].popleft()

    def _end(self, course_id: CourseId) -> None:
        with self._lock:
            self._busy.discard(course_id)
            if self._waiting.get(course_id):
                self._ready.append(course_id)
            else:
                self._waiting.pop(course_id, None)


def _drop(task: Task) -> None:
    """Its job failed, since the process ends."""
    task.job.fault, task.job.state = Fault("reading.closed"), IngestState.FAILED
    task.drop()


EVERY_S = 1.0
"""Seconds between two looks at what has changed."""
SIGN_OF_LIFE_S = 10.0
"""Seconds between two signs of life of an ingest without progress."""

_log = logging.getLogger(__name__)


class IngestLog:
    """Writes the progress of the ingests of this process, in a thread that ends with the last of them.

    A failed write is tried again, and the ingest continues meanwhile.
    """

    def __init__(self, ingests: SqlIngests) -> None:
        self._ingests = ingests
        self._jobs: dict[str, Job] = {}
        """Jobs whose end is not stored yet."""
        self._told: dict[str, tuple[float, IngestState, int]] = {}
        self._lock = Lock()
        self._thread: Thread | None = None
        self._closed = Event()

    def begin(self, job: Job) -> None:
        """As `SqlIngests.begin`."""
        self._ingests.begin(job)
        with self._lock:
            self._jobs[job.id] = job
            if self._thread is None:
                self._thread = Thread(target=self._keep_telling, name="ingest-log", daemon=True)
                self._thread.start()

    def end(self, job: Job) -> None:
        """Store the end of an ingest."""
        self._tell(job)

    def find(self, course_id: CourseId, id: str) -> Job:
        """An ingest of this course, whichever process reads it; `NotFound` for none."""
        job = self._jobs.get(id)
        return job if job and job.course_id == course_id else self._ingests.find(course_id, id)

    def close(self) -> None:
        """Store the failure of each unfinished ingest."""
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
