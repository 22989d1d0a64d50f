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

from starlette.types import ASGIApp, Receive, Scope, Send

P = ParamSpec("P")
T = TypeVar("T")
THREADS = min(32, (os.cpu_count() or 1) + 4)
ACTIVE_S = 1.0
"""Seconds for which a course counts as active after its last job was brought."""
SWITCH_S = 0.0005
"""Python's switch interval in a server: who waits for the interpreter behind busy threads waits this long."""
LONGEST_REST_S = 0.05
"""Seconds for which a flooded course rests after a job, at most."""
_COURSE = re.compile(r"/(?:v1/courses|console|embed|courses)/([^/]+)")
_working_for: ContextVar[str] = ContextVar("working_for", default="")


class ForCourse:
    """ASGI middleware: what a request has done in threads is done for the course in its address."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _COURSE.match(scope["path"]) if scope["type"] == "http" else None
        mark = _working_for.set(found[1] if found else "")
        try:
            await self._app(scope, receive, send)
        finally:
            _working_for.reset(mark)


class FairThreads(ThreadPoolExecutor):
    """An executor that takes one job of each course in turn, in order within a course.

    A course that is active alone has half of the threads, so that another one's job finds a free thread even
    where the first one's jobs are stuck. Courses that are active together have one thread each: they share
    one interpreter, and more threads of one would only slow down the others. One that has more jobs waiting
    then rests after each for as long as it took: that leaves the interpreter to the others and to the event
    loop, without which nobody's job is begun.
    """

    def __init__(
        self,
        threads: int = THREADS,
        *,
        now: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        """`now` gives seconds that never run backwards; `rest` lets so many of them pass."""
        super().__init__(threads, thread_name_prefix="fair")
        self._half = max(1, threads // 2)
        self._now = now
        self._rest = rest
        self._active: dict[str, float] = {}
        self._lock = Lock()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._running: Counter[str] = Counter()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As `Executor.submit`, for the course that the caller works for."""
        result: Future[T] = Future()
        job = partial(_run, result, partial(fn, *args, **kwargs))
        course = _working_for.get()
        with self._lock:
            self._waiting.setdefault(course, deque()).append(job)
            if course:
                self._active.pop(course, None)  # the dict is in the order of the last jobs
                self._active[course] = self._now()
        super().submit(self._work)
        return result

    def load(self) -> tuple[int, int]:
        """Jobs that run, and jobs that wait."""
        with self._lock:
            return self._running.total(), sum(map(len, self._waiting.values()))

    def _work(self) -> None:
        """Run jobs until none is left that may run; whoever ends a job looks for the next one."""
        while (taken := self._take()) is not None:
            course, job = taken
            begun = self._now()
            try:
                job()
                if self._crowds(course):
                    self._rest(min(self._now() - begun, LONGEST_REST_S))
            finally:
                with self._lock:
                    self._running[course] -= 1
                    if not self._running[course]:
                        del self._running[course]

    def _take(self) -> tuple[str, Callable[[], None]] | None:
        """The next job of the first course in line that may run one; that course goes to the end."""
        with self._lock:
            most = 1 if self._are_several_active() else self._half
            for course in self._waiting:
                if self._running[course] < most:
                    jobs = self._waiting.pop(course)
                    job = jobs.popleft()
                    if jobs:
                        self._waiting[course] = jobs
                    self._running[course] += 1
                    return course, job
        return None

    def _crowds(self, course: str) -> bool:
        """Whether more jobs of a course wait while others are active."""
        with self._lock:
            return course in self._waiting and self._are_several_active()

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
