"""Threads that courses share fairly: a course that is asked too much waits behind itself alone."""

from __future__ import annotations

import os
import re
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

    One course never has more than half of the threads, so that another one's job finds a free thread even
    where the first one's jobs are stuck.
    """

    def __init__(self, threads: int = THREADS) -> None:
        super().__init__(threads, thread_name_prefix="fair")
        self._most = max(1, threads // 2)
        self._lock = Lock()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}
        self._running: Counter[str] = Counter()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As `Executor.submit`, for the course that the caller works for."""
        result: Future[T] = Future()
        job = partial(_run, result, partial(fn, *args, **kwargs))
        with self._lock:
            self._waiting.setdefault(_working_for.get(), deque()).append(job)
        super().submit(self._work)
        return result

    def _work(self) -> None:
        """Run jobs until none is left that may run; whoever ends a job looks for the next one."""
        while (taken := self._take()) is not None:
            course, job = taken
            try:
                job()
            finally:
                with self._lock:
                    self._running[course] -= 1
                    if not self._running[course]:
                        del self._running[course]

    def _take(self) -> tuple[str, Callable[[], None]] | None:
        """The next job of the first course in line that may run one; that course goes to the end."""
        with self._lock:
            for course in self._waiting:
                if self._running[course] < self._most:
                    jobs = self._waiting.pop(course)
                    job = jobs.popleft()
                    if jobs:
                        self._waiting[course] = jobs
                    self._running[course] += 1
                    return course, job
        return None


def _run(result: Future[T], work: Callable[[], T]) -> None:
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(work())
    except BaseException as error:
        result.set_exception(error)
