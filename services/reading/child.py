"""A child process that reads files: `python -m services.reading.child SOCKET MEMORY SECONDS`.

It is given one file after another as an open descriptor, so it opens no path, and its environment holds no
secret. What it imports is what reading needs.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from typing import BinaryIO

from knowledge.sources.archive import Unreadable
from services.reading.frames import HEADER, FileFault, FrameKind, course_of, frame, frames_of, peak_memory
from services.reading.readers import build_readers
from services.reading.tasks import TASKS
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import DocumentReader

IDLE_S = 30.0
"""A child that is given nothing to read for so long ends."""


def main() -> None:
    """Read what comes until the parent closes its end, or nothing comes any more."""
    descriptor, memory, seconds = map(int, sys.argv[1:])
    readers = build_readers()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, who then closes the socket
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with socket.socket(fileno=descriptor) as parent:
        parent.settimeout(IDLE_S)
        parent.sendall(frame(FrameKind.READY, None))
        while (request := _next_request(parent)) is not None:
            given, file = request
            _allow_seconds(seconds)
            _answer(parent, readers, given, file)
            if _is_used_up():
                return


def _next_request(parent: socket.socket) -> tuple[dict[str, object], int] | None:
    try:
        header, descriptors, _, _ = socket.recv_fds(parent, HEADER.size, 1)
    except TimeoutError:
        return None
    if not header:
        return None
    parent.settimeout(None)
    _, size = HEADER.unpack(header)
    payload = b""
    while len(payload) < size:
        payload += parent.recv(size - len(payload))
    parent.settimeout(IDLE_S)
    return json.loads(payload), descriptors[0]


def _allow_seconds(seconds: int) -> None:
    """Give the next file so much processor time; the kernel ends the process that takes more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def _answer(
    parent: socket.socket, readers: tuple[DocumentReader, ...], given: dict[str, object], descriptor: int
) -> None:
    """Send what is in a file, or why it cannot be used."""
    parent.settimeout(None)
    try:
        with os.fdopen(descriptor, "rb") as file:
            file.seek(0)
            for each in _frames(readers, given, file):
                parent.sendall(each)
    except (InvalidInput, UnicodeEncodeError, MemoryError, OSError) as fault:
        parent.sendall(_fault_frame(str(given["path"]), fault))
    except Exception:
        parent.sendall(frame(FrameKind.BROKEN, traceback.format_exc(limit=-20)))
    parent.settimeout(IDLE_S)


def _frames(readers: tuple[DocumentReader, ...], given: dict[str, object], file: BinaryIO) -> Iterator[bytes]:
    path = str(given["path"])
    if "task" in given:
        result = TASKS[str(given["task"])](file, path=path, **given["arguments"])  # type: ignore[arg-type]
        return iter([frame(FrameKind.END, result)])
    course = course_of(given["course"])  # type: ignore[arg-type]
    reader = next(reader for reader in readers if reader.handles(path))
    return frames_of(reader.read(file, path=path, course=course))


def _fault_frame(path: str, fault: InvalidInput | UnicodeEncodeError | MemoryError | OSError) -> bytes:
    if isinstance(fault, MemoryError) or (isinstance(fault, Unreadable) and _is_used_up()):
        return frame(FrameKind.MEMORY, None)
    if isinstance(fault, InvalidInput):
        found = FileFault(fault=fault.fault, path=fault.path or path, line=fault.line, field=fault.field)
    elif isinstance(fault, OSError):
        unreadable = Fault("file.unreadable", reason=str(fault.strerror))
        found = FileFault(fault=unreadable.at(path), path=path)
    else:
        found = FileFault(fault=Fault("reading.surrogate", path=path), path=path)
    return frame(FrameKind.FAULT, found)


def _is_used_up() -> bool:
    """True once the process has had half of its allowed memory.

    A file that a library in C then calls broken was refused memory; and memory is rarely given back whole.
    """
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    return peak_memory(os.getpid()) > most / 2


if __name__ == "__main__":
    main()
