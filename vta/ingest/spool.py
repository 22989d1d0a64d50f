"""Documents between reading and storing: kept out of memory, so that a large folder needs no more of it."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator

from vta.types import CourseDocument

IN_MEMORY = 16_000_000
"""Bytes; beyond them the spool is a file without a name that goes with its last handle."""


class Spool:
    """Documents in the order in which they were added; may be read any number of times until it is closed."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, document: CourseDocument) -> None:
        self._starts.append(self._file.seek(0, 2))
        pickle.dump(document, self._file, protocol=pickle.HIGHEST_PROTOCOL)

    def __iter__(self) -> Iterator[CourseDocument]:
        for start in self._starts:
            self._file.seek(start)
            yield pickle.load(self._file)  # noqa: S301  (written above, by this process)

    def close(self) -> None:
        self._file.close()
