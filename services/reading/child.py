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
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from knowledge.sources.archive import Unreadable
from knowledge.sources.cartridge import unpack_cartridge
from knowledge.sources.moodle import count_backup, unpack_backup
from knowledge.sources.visibility import Unpacked
from services.reading.frames import HEADER, FileFault, FrameKind, course_of, frame, frames_of, peak_memory
from services.reading.links import links_of
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.zipped import count_wanted

_READERS = build_readers()
IDLE_S = 30.0
"""A child that is given nothing to read for so long ends."""


def main() -> None:
    """Read what comes until the parent closes its end, or nothing comes any more."""
    descriptor, memory, seconds = map(int, sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, who then closes the socket
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with socket.socket(fileno=descriptor) as parent:
        parent.settimeout(IDLE_S)
        parent.sendall(frame(FrameKind.READY, None))
        while (request := _next_request(parent)) is not None:
            given, file = request
            _allow_seconds(seconds)
            _answer(parent, given, file)
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


def _answer(parent: socket.socket, given: dict[str, object], descriptor: int) -> None:
    """Send what is in a file, or why it cannot be used."""
    parent.settimeout(None)
    try:
        with os.fdopen(descriptor, "rb") as file:
            file.seek(0)
            for each in _frames(given, file):
                parent.sendall(each)
    except (InvalidInput, UnicodeEncodeError, MemoryError, OSError) as fault:
        parent.sendall(_fault_frame(str(given["path"]), fault))
    except Exception:
        parent.sendall(frame(FrameKind.BROKEN, traceback.format_exc(limit=-20)))
    parent.settimeout(IDLE_S)


def _frames(given: dict[str, object], file: BinaryIO) -> Iterator[bytes]:
    path = str(given["path"])
    if "task" in given:
        result = TASKS[str(given["task"])](file, path=path, **given["arguments"])  # type: ignore[arg-type]
        return iter([frame(FrameKind.END, result)])
    course = course_of(given["course"])  # type: ignore[arg-type]
    reader = next(reader for reader in _READERS if reader.handles(path))
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


def unpack(file: BinaryIO, *, path: str, folder: str) -> Unpacked:
    """Write the files that a reader handles, and students of its platform see, into a folder."""
    found = Unpacked()

    def wanted(name: str) -> bool:
        if not (is_wanted := _is_read(name)):
            found.passed_over.append(name)
        return is_wanted

    write = unpack_backup if _is_moodle(path) else unpack_cartridge
    write(file, Path(folder), path=path, wanted=wanted, found=found)
    return found


def count(file: BinaryIO, *, path: str, folder: str) -> int:
    """The number of files that `unpack` would write, 0 for a refused archive; the folder stays empty."""
    try:
        if _is_moodle(path):
            return count_backup(file, Path(folder), path=path, wanted=_is_read)
        return count_wanted(file, _is_read)
    except InvalidInput:
        return 0


def links(file: BinaryIO, *, path: str, below: str, robots: str) -> dict[str, object]:
    """The links of a page of HTML, see `links_of`; its path is its address."""
    found, is_all = links_of(file.read(), path, below=below, robots=robots)
    return {"links": found, "is_all": is_all}


TASKS: Mapping[str, Callable[..., object]] = {each.__name__: each for each in (unpack, count, links)}


def _is_moodle(path: str) -> bool:
    return path.lower().endswith(".mbz")


def _is_read(name: str) -> bool:
    return any(reader.handles(name) for reader in _READERS)


if __name__ == "__main__":
    main()
