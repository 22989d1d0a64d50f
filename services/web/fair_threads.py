"""Threads that courses share fairly: a course that is asked too much waits behind itself alone."""

from __future__ import annotations

import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from threading import Lock
from typing import ParamSpec, TypeVar

from starlette.types import Receive, Scope, Send

from services.web.layers import HttpLayer

P = ParamSpec("P")
T = TypeVar("T")
THREADS = min(32, (os.cpu_count() or 1) + 4)
ACTIVE_S = 1.0
"""Seconds for which a course counts as active after its last job was brought."""
LONGEST_REST_S = 0.05
"""Seconds for which a flooded course rests after a job, at most."""
_COURSE = re.compile(r"/(?:v1/courses|console|embed|courses)/([^/]+)")
_working_for: ContextVar[str] = ContextVar("working_for", default="")


def work_for(course: str) -> None:
    """Assign the further jobs of this request to a course that its body names."""
    _working_for.set(course)


class ForCourse(HttpLayer):
    """Assigns the jobs of a request to the course in its address."""

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _COURSE.match(scope["path"])
        mark = _working_for.set(found[1] if found else "")
        try:
            await self._app(scope, receive, send)
        finally:
            _working_for.reset(mark)


class FairThreads(ThreadPoolExecutor):
    """An executor that takes one job of each course in turn, in order within a course.

    A course that is active alone has half of the threads, so that another one's job finds a free thread even
    where the first one's jobs are stuck. Courses that are active together have one thread each: they share
    one interpreter, and more threads of one would only slow down the others. With `rest`, the thread of a
    course with queued jobs pauses after each one for its duration, so that other courses and the event loop
    get the interpreter; but never the last free thread.
    """

    def __init__(
        self,
        threads: int = THREADS,
        *,
        rest: bool = True,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`now` gives seconds that never run backwards; `sleep` lets so many of them pass."""
        super().__init__(threads, thread_name_prefix="fair")
        self._half = max(1, threads // 2)
        self._rest = rest
        self._now = now
        self._sleep = sleep
        self._lock = Lock()
        self._active: dict[str, float] = {}
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._running: Counter[str] = Counter()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As `Executor.submit`, for the course that the caller works for."""
        result: Future[T] = Future()
        work = partial(_run, result, partial(fn, *args, **kwargs))
        course = _working_for.get()
        with self._lock:
            self._waiting.setdefault(course, deque()).append(work)
            if course:
                self._active.pop(course, None)  # the dict is in the order of the last jobs
                self._active[course] = self._now()
        super().submit(self._work)
        return result

    def load(self) -> tuple[int, int]:
        """Jobs that run or rest, and jobs that wait."""
        with self._lock:
            return self._running.total(), sum(map(len, self._waiting.values()))

    def _work(self) -> None:
        """Run jobs until none may run; the thread that ends a job looks for the next one."""
        while (job := self._next()) is not None:
            course, work = job
            begun = self._now()
            work()
            took_s = self._now() - begun
            with self._lock:
                rests = self._rest and course in self._waiting and self._are_several_active()
                rests = rests and self._running.total() < self._max_workers
            if rests:
                self._sleep(min(took_s, LONGEST_REST_S))
            with self._lock:
                self._running -= Counter([course])  # which drops a course at 0

    def _next(self) -> tuple[str, Callable[[], None]] | None:
        """The next job, which has begun; its course goes to the end of the line."""
        with self._lock:
            most = 1 if self._are_several_active() else self._half
            course = next((each for each in self._waiting if self._running[each] < most), None)
            if course is None:
                return None
            jobs = self._waiting.pop(course)
            work = jobs.popleft()
            if jobs:
                self._waiting[course] = jobs
            self._running[course] += 1
            return course, work

    def _are_several_active(self) -> bool:
        for course, last in list(self._active.items()):
            if self._now() - last < ACTIVE_S:
                break
            del self._active[course]
        return len(self._active) > 1


def _run(result: Future[T], work: Callable[[], T]) -> None:
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(work())
    except BaseException as error:
        result.set_exception(error)
