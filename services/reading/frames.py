"""Frames between a reading child and its parent: kind, length and JSON, never a pickle."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import Course
from vta.types.documents import CourseDocument

HEADER = struct.Struct(">cI")
"""The kind of a frame, and the bytes that follow."""
_PAIRS_A_FRAME = 2_000


class FrameKind(StrEnum):
    """The kinds of frames. The parent sends READ alone, with the descriptor of the file."""

    READ = "r"
    READY = "y"
    PART = "p"
    """Some of the document's pairs."""
    END = "e"
    """The rest of the document, or the result of a task; the child waits for the next file."""
    FAULT = "f"
    """The file cannot be used, and why."""
    MEMORY = "m"
    """The memory that the child may have is not enough."""
    BROKEN = "b"
    """The reader failed: its traceback."""


def frame(kind: FrameKind, content: object) -> bytes:
    """A frame of any value of JSON, dataclasses as objects. `UnicodeEncodeError` for half a character."""
    payload = json.dumps(content, ensure_ascii=False, default=_as_object).encode()
    return HEADER.pack(kind.encode(), len(payload)) + payload


def frames_of(document: CourseDocument) -> Iterator[bytes]:
    """A document in pieces, so that neither side holds its text twice."""
    last = max(0, (len(document.pairs) - 1) // _PAIRS_A_FRAME * _PAIRS_A_FRAME)
    for start in range(0, last, _PAIRS_A_FRAME):
        part = CourseDocument(
            path=document.path,
            sha256=document.sha256,
            pairs=document.pairs[start : start + _PAIRS_A_FRAME],
        )
        yield frame(FrameKind.PART, part)
    yield frame(FrameKind.END, replace(document, pairs=document.pairs[last:]))


def course_of(given: dict[str, object]) -> Course:
    """The course in a READ frame, which the parent has written."""
    values = {
        **given,
        "domains": tuple(given["domains"]),  # type: ignore[arg-type]
        "language": Language(str(given["language"])),
    }
    return Course(**values)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFault:
    """The content of a FAULT frame: the fault and its place, as in `InvalidInput`."""

    fault: Fault
    path: str
    line: int | None = None
    field: str | None = None


def _as_object(value: object) -> dict[str, object] | str:
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError(f"{type(value).__name__} is no JSON")


def peak_memory(pid: int) -> int:
    """The greatest address space that a process had, in bytes, which its limit is about; 0 where nobody says.

    Both sides look: libraries in C end the process, or call a file broken, where memory is refused to them.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmPeak:")), 0)
