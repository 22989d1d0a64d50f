"""Ingests of instructors: those of a course one after another, those of different courses in turn."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Condition, Event, Lock, Thread

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
    """The ingests of this process, in daemon threads; those of one course run one after another.

    A course goes to the end of the queue after each ingest, so that it holds up no other course.
    """

    _lines: dict[CourseId, deque[Task]] = field(default_factory=dict)
    """The waiting tasks of each course that has a waiting or running one."""
    _ready: SimpleQueue[CourseId] = field(default_factory=SimpleQueue)
    """Courses with a line and nothing running, the longest waiting first."""
    _workers: int = 0
    _running: int = 0
    _changed: Condition = field(default_factory=Condition)
    _closed: bool = False

    def add(self, task: Task) -> None:
        """Append an ingest to the line of its course. After `stop` it is dropped, and `NotReady`."""
        course_id = task.job.course_id
        with self._changed:
            is_open = not self._closed
            if is_open and course_id in self._lines:
                self._lines[course_id].append(task)
            elif is_open:
                self._lines[course_id] = deque([task])
                self._ready.put(course_id)
                if self._workers < min(MOST_COURSES, len(self._lines)):
                    self._workers += 1
                    Thread(target=self._work, name="ingest", daemon=True).start()
        if not is_open:
            _drop(task)
            raise NotReady(Fault("reading.closed"))

    def load(self) -> tuple[int, int]:
        """The number of running ingests, and of waiting ones."""
        with self._changed:
            return self._running, sum(map(len, self._lines.values()))

    def stop(self) -> None:
        """Start no further ingest and drop the waiting ones."""
        with self._changed:
            self._closed = True
            dropped = [task for line in self._lines.values() for task in line]
            for line in self._lines.values():
                line.clear()
        for task in dropped:
            _drop(task)

    def join(self, seconds: float) -> None:
        """Wait some seconds for the ingests, which end with the process at the latest."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines, seconds)

    def _work(self) -> None:
        while True:
            course_id = self._ready.get()
            with self._changed:
                line = self._lines[course_id]
                task = line.popleft() if line else None  # none after `stop`
                self._running += 1
            try:
                if task is not None:
                    task.run()
            finally:
                with self._changed:
                    self._running -= 1
                    if line:
                        self._ready.put(course_id)
                    else:
                        del self._lines[course_id]
                    self._changed.notify_all()


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
            self.tell(job)

    def _keep_telling(self) -> None:
        while not self._closed.wait(EVERY_S):
            for job in tuple(self._jobs.values()):
                at_s, *known = self._told.get(job.id, (0.0,))
                if known != [job.state, job.done] or time.monotonic() - at_s > SIGN_OF_LIFE_S:
                    self.tell(job)
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return

    def tell(self, job: Job) -> None:
        """Store how far an ingest is, or its end; a failure is logged."""
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
