"""Documents between reading and storing: kept out of memory, so that a large folder needs no more of it."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator

from vta.types import CourseDocument

IN_MEMORY = 16_000_000
"""Characters of passages, about; documents beyond them go to a file without a name that goes with its last
handle."""
_CHARACTERS_OF_A_PAIR = 500
"""What a pair takes besides its texts."""


class Spool:
    """Documents in the order in which they were added; may be read any number of times until it is closed."""

    def __init__(self) -> None:
        self._first: list[CourseDocument] = []
        self._room = IN_MEMORY
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._first) + len(self._starts)

    def add(self, document: CourseDocument) -> None:
        if self._room > 0:
            self._room -= _size(document)
            self._first.append(document)
            return
        self._starts.append(self._file.seek(0, 2))
        pickle.dump(document, self._file, protocol=pickle.HIGHEST_PROTOCOL)

    def __iter__(self) -> Iterator[CourseDocument]:
        yield from self._first
        for start in self._starts:
            self._file.seek(start)
            yield pickle.load(self._file)  # noqa: S301  (written above, by this process)

    def close(self) -> None:
        self._first.clear()
        self._file.close()


def _size(document: CourseDocument) -> int:
    return sum(len(pair.question) + len(pair.answer) + _CHARACTERS_OF_A_PAIR for pair in document.pairs)
