"""One child process that reads files, seen from its parent."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError

import services
from services.reading.frames import HEADER, FileFault, FrameKind, frame, peak_memory
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.types.courses import Course
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair


class NotRead(InvalidInput):
    """A file that a child could not read to its end; that child is not used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingBounds:
    """The most that one file may take.

    `memory` is the address space of the child in bytes, `processor_s` its processor time; `wall_s` is time on
    the clock, which is longer since a busy machine is no fault of the file. `result` is in bytes, and `pairs`
    counts the passages that may come of a file.
    """

    memory: int = 1_000_000_000
    processor_s: int = 15
    wall_s: float = 60.0
    result: int = 100_000_000
    pairs: int = 200_000

    def past_memory(self, path: str) -> NotRead:
        return NotRead(Fault("reading.memory", path=path, gigabytes=f"{self.memory / 1e9:g}"), path=path)


T = TypeVar("T")
_log = logging.getLogger(__name__)
_documents = TypeAdapter(CourseDocument)
_faults = TypeAdapter(FileFault)
_START_S = 60.0
_TICK_S = 0.05
"""Seconds between two looks at the memory of a working child."""
_PIECE = 1 << 20
_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")


class ChildEnded(Exception):
    """The child is gone: its exit code, negative for a signal, and the most `memory` it was seen with.

    `ready` says whether it had started as it should.
    """

    def __init__(self, *, code: int, memory: int, ready: bool) -> None:
        super().__init__(f"the child ended with {code}")
        self.code = code
        self.ready = ready
        self.memory = memory


class ReaderProcess:
    """A child that reads one file at a time, for one thread; `kill` may be called from any."""

    def __init__(self, bounds: ReadingBounds) -> None:
        self._bounds = bounds
        self._memory = 0
        self.is_ready = False
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  (our own module, by this interpreter)
                [
                    *(sys.executable, "-P", "-m", "services.reading.child"),
                    *(str(theirs.fileno()), str(bounds.memory), str(bounds.processor_s)),
                ],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        """The document that the reader for this kind of file makes.

        `InvalidInput` for a faulty file and for one past a bound, `ChildEnded` where the child is gone.
        """
        given = {"path": path, "course": asdict(course)}
        return self._answer(file, path, given, lambda deadline: self._document(path, course, deadline))

    def run(self, task: str, file: BinaryIO, *, path: str, arguments: Mapping[str, str]) -> bytes:
        """The result of one of `TASKS` as JSON; faults as in `read`."""
        given = {"path": path, "task": task, "arguments": arguments}
        return self._answer(file, path, given, lambda deadline: self._result(path, deadline))

    def _answer(
        self, file: BinaryIO, path: str, given: Mapping[str, object], receive: Callable[[float], T]
    ) -> T:
        request = frame(FrameKind.READ, given)
        self._wait_ready()
        deadline = monotonic() + self._bounds.wall_s
        try:
            sent = socket.send_fds(self._socket, [request], [file.fileno()])
            self._socket.sendall(request[sent:])
            return receive(deadline)
        except TimeoutError:
            fault = Fault("reading.wall_time", path=path, seconds=f"{self._bounds.wall_s:g}")
            raise NotRead(fault, path=path) from None
        except (BrokenPipeError, ConnectionResetError):
            raise self._ended() from None

    def _wait_ready(self) -> None:
        """Returns when the child can read. `UpstreamFailed` where it cannot be started."""
        if self.is_ready:
            return
        try:
            kind, _ = self._receive(monotonic() + _START_S)
        except TimeoutError as failure:
            raise UpstreamFailed(Fault("reading.not_started")) from failure
        if kind is not FrameKind.READY:
            raise UpstreamFailed(Fault("reading.not_started"))
        self.is_ready = True

    def kill(self) -> None:
        """End the child at once; a thread that waits for its answer gets `ChildEnded`."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> int:
        """Wait until the child is gone, and kill it where it does not end by itself; its exit code."""
        self._socket.close()
        try:
            return self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def _document(self, path: str, course: Course, deadline: float) -> CourseDocument:
        pairs: list[QAPair] = []
        room = self._bounds.result
        while True:
            kind, payload = self._receive(deadline, path=path, room=room)
            if kind in (FrameKind.PART, FrameKind.END):
                room -= len(payload)
                part = _checked(payload, path, course)
                pairs += part.pairs
                if len(pairs) > self._bounds.pairs:
                    raise NotRead(Fault("reading.passages", path=path, most=self._bounds.pairs), path=path)
                if kind is FrameKind.END:
                    return replace(part, pairs=tuple(pairs))
            else:
                raise self._failure(kind, payload, path)

    def _result(self, path: str, deadline: float) -> bytes:
        kind, payload = self._receive(deadline, path=path, room=self._bounds.result)
        if kind is not FrameKind.END:
            raise self._failure(kind, payload, path)
        return payload

    def _failure(self, kind: FrameKind, payload: bytes, path: str) -> InvalidInput:
        """Why there is no result."""
        if kind is FrameKind.FAULT:
            return _fault_of(payload)
        if kind is FrameKind.MEMORY:
            return self._bounds.past_memory(path)
        _log.error("a reader failed on %s: %s", path, json.loads(payload))
        return NotRead(Fault("reading.failed", path=path), path=path)

    def _receive(self, deadline: float, *, path: str = "", room: int = 0) -> tuple[FrameKind, bytes]:
        """The next frame; where it is of a document, the one in the file of this path, within the room."""
        kind, size = HEADER.unpack(self._exactly(HEADER.size, deadline))
        if size > max(room, _PIECE):
            megabytes = f"{self._bounds.result / 1e6:g}"
            raise NotRead(Fault("reading.result", path=path, megabytes=megabytes), path=path)
        return FrameKind(kind.decode()), self._exactly(size, deadline)

    def _exactly(self, size: int, deadline: float) -> bytes:
        received = bytearray()
        self._socket.settimeout(_TICK_S)
        while len(received) < size:
            try:
                piece = self._socket.recv(min(size - len(received), _PIECE))
            except TimeoutError:
                self._memory = max(self._memory, peak_memory(self.pid))
                if monotonic() > deadline:
                    raise
                continue
            if not piece:
                raise self._ended()
            received += piece
        return bytes(received)

    def _ended(self) -> ChildEnded:
        return ChildEnded(code=self.close(), memory=self._memory, ready=self.is_ready)


def _checked(payload: bytes, path: str, course: Course) -> CourseDocument:
    """A document as the child sent it: of the types it should be, and of this file and course alone."""
    try:
        document = _documents.validate_json(payload)
        for rejection in document.rejected:
            rejection.fault.text()
    except (ValidationError, LookupError, ValueError) as error:
        raise UpstreamFailed(Fault("reading.broken_answer")) from error
    strange = any(pair.course_id != course.id for pair in document.pairs)
    if document.path != path or strange or any(c.courses != (course.id,) for c in document.concepts):
        raise UpstreamFailed(Fault("reading.broken_answer"))
    return document


def _fault_of(payload: bytes) -> InvalidInput:
    """The fault that a child found in the file, checked to be one of the table."""
    try:
        found = _faults.validate_json(payload)
        return InvalidInput(found.fault, path=found.path, line=found.line, field=found.field)
    except (ValidationError, LookupError, ValueError) as error:
        raise UpstreamFailed(Fault("reading.broken_answer")) from error


def _environment() -> dict[str, str]:
    """The environment of a child: what Python needs, and no setting, for some are secrets."""
    packages = str(Path(services.__file__).resolve().parents[1])
    found = [packages, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    return {**kept, "PYTHONPATH": os.pathsep.join(dict.fromkeys(found)), "OPENBLAS_NUM_THREADS": "1"}
