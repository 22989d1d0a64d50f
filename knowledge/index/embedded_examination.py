"""What is wrong with the folder of an embedded index, for the person who runs the platform."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from knowledge.index.embedded import EmbeddedIndex

_SAMPLE_BYTES = 1_000_000
"""More than an edit writes; a rebuild writes more."""
_READ = 10_000
"""Pairs that are read to see whether they can be; all of a large index would take minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderExamination:
    """What a readable index folder holds, or that there is no index yet."""

    left_over: int = 0
    """Files and folders of processes that were killed; 0 while another process is writing."""
    unwritable: str | None = None
    """Why nothing can be written, if so."""


def examine_folder(index: EmbeddedIndex) -> FolderExamination:
    """Raises as `EmbeddedIndex.open` does where there is a generation that cannot be read."""
    if index.stamp() is not None:
        index.read_pairs(_READ)
    return FolderExamination(left_over=_left_over(index), unwritable=_unwritable(index.generations.path))


def _left_over(index: EmbeddedIndex) -> int:
    try:
        with FileLock(index.generations.lock_file, timeout=0):
            return len(index.generations.left_over())
    except (OSError, Timeout):
        return 0


def _unwritable(folder: Path) -> str | None:
    if not folder.exists():
        return None
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0" * _SAMPLE_BYTES)
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None
