"""The children of one process: few of them, in turn, and all ended together."""

from __future__ import annotations

import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import UnsupportedOperation
from shutil import copyfileobj
from threading import Event, Lock
from typing import BinaryIO, TypeVar

from services.reading.reader_process import ChildEnded, NotRead, ReaderProcess, ReadingBounds
from vta.errors import InvalidInput, NotReady, UpstreamFailed
from vta.faults import Fault
from vta.types.courses import Course
from vta.types.documents import CourseDocument

T = TypeVar("T")
MOST_CHILDREN = 2
"""At once, of one process; each may take the memory of the bounds."""


class ReaderPool:
    """Reads files in children, which start on demand and read further files.

    Callers wait in turn, file by file: a course with a hundred files is served no more often than one with a
    single file.
    """

    def __init__(self, bounds: ReadingBounds | None = None, *, children: int = MOST_CHILDREN) -> None:
        self._bounds = bounds or ReadingBounds()
        self._lock = Lock()
        self._free = children
        self._queue: deque[Event] = deque()
        self._idle: list[ReaderProcess] = []
        self._busy: set[ReaderProcess] = set()
        self._closed = False

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        """The document in a file. `InvalidInput` for a fault or exceeded bound, `NotReady` after `close`."""
        return self._in_child(path, lambda child: child.read(file, path=path, course=course))

    def run(self, task: str, file: BinaryIO, *, path: str, **arguments: str) -> bytes:
        """The result of one of `TASKS` on a file, as JSON; faults as in `read`."""
        with with_descriptor(file) as given:
            return self._in_child(path, lambda child: child.run(task, given, path=path, arguments=arguments))

    def _in_child(self, path: str, work: Callable[[ReaderProcess], T]) -> T:
        with self._turn():
            while True:
                child = self._child()
                was_idle = child.is_ready
                try:
                    return self._finish(child, work)
                except ChildEnded as end:
                    if end.code != 0 or self._closed or not was_idle:  # else it had ended while it was idle
                        raise self._reason(path, end) from None

    def close(self) -> None:
        """End all children; reads in progress, waiting and later ones are `NotReady`."""
        with self._lock:
            self._closed = True
            for waiting in self._queue:
                waiting.set()
            self._queue.clear()
            busy, idle = list(self._busy), self._idle
            self._idle = []
        for child in busy:
            child.kill()
        for child in idle:
            child.close()

    def _finish(self, child: ReaderProcess, work: Callable[[ReaderProcess], T]) -> T:
        usable = True
        try:
            return work(child)
        except BaseException as failure:
            usable = isinstance(failure, InvalidInput) and not isinstance(failure, NotRead)
            raise
        finally:
            self._put_back(child, usable=usable)

    def _child(self) -> ReaderProcess:
        with self._lock:
            self._check_open()
            child = self._idle.pop() if self._idle else ReaderProcess(self._bounds)
            self._busy.add(child)
        return child

    def _put_back(self, child: ReaderProcess, *, usable: bool) -> None:
        with self._lock:
            self._busy.discard(child)
            kept = usable and not self._closed
            if kept:
                self._idle.append(child)
        if not kept:
            child.close()

    def _reason(self, path: str, end: ChildEnded) -> Exception:
        """Why a child ended over a file. Libraries in C end the process where memory is refused to them."""
        if self._closed:
            return NotReady(Fault("reading.closed"))
        if not end.ready:
            return UpstreamFailed(Fault("reading.not_started"))
        if end.code == -signal.SIGXCPU:
            seconds = self._bounds.processor_s
            return NotRead(Fault("reading.processor_time", path=path, seconds=seconds), path=path)
        if end.memory > self._bounds.memory / 4:  # the request that was refused is not in it
            return self._bounds.past_memory(path)
        return NotRead(Fault("reading.crashed", path=path), path=path)

    def _check_open(self) -> None:
        if self._closed:
            raise NotReady(Fault("reading.closed"))

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One of the children is free for the caller; the longest waiting comes first."""
        with self._lock:
            self._check_open()
            mine = Event()
            if self._free:
                self._free -= 1
                mine.set()
            else:
                self._queue.append(mine)
        mine.wait()
        try:
            yield
        finally:
            with self._lock:
                if self._queue:
                    self._queue.popleft().set()
                else:
                    self._free += 1


@contextmanager
def with_descriptor(file: BinaryIO) -> Iterator[BinaryIO]:
    """The file itself, or a copy that a child can be given where it is in memory alone."""
    try:
        file.fileno()
    except (UnsupportedOperation, AttributeError):
        with tempfile.TemporaryFile() as copy:
            copyfileobj(file, copy)
            copy.flush()
            yield copy
        return
    file.flush()
    yield file
