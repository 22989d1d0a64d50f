"""The readers of the platform: those of `readers`, in a child but for small plain files."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import BinaryIO

from services.reading.pool import ReaderPool, with_descriptor
from services.reading.readers import build_readers
from vta.ports import DocumentReader, FolderPacker
from vta.types.courses import Course
from vta.types.documents import CourseDocument

LARGEST_PLAIN = 16_000
"""Bytes of a plain text that is read in this process, which saves the start of a child. The nastiest texts of
this size take less than a second and a few megabytes, see tests/unit/services/reading/test_small_files.py."""
PLAIN_KINDS = frozenset(
    {".md", ".markdown", ".qmd", ".rmd", ".txt", ".srt", ".vtt", ".csv", ".jsonl", ".json"}
)
"""Kinds whose readers are Python, with no parser in C that a file could crash."""


def bounded_readers(pool: ReaderPool) -> tuple[DocumentReader, ...]:
    """One reader a kind of file; the first that handles a name reads it."""
    return tuple(
        BoundedFolderReader(each, each, pool) if isinstance(each, FolderPacker) else BoundedReader(each, pool)
        for each in build_readers()
    )


class BoundedReader:
    """A `vta.ports.DocumentReader` within the bounds of a pool."""

    def __init__(self, inner: DocumentReader, pool: ReaderPool) -> None:
        self._inner = inner
        self._pool = pool

    def handles(self, path: str) -> bool:
        return self._inner.handles(path)

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        if PurePosixPath(path).suffix.lower() in PLAIN_KINDS and _size(file) <= LARGEST_PLAIN:
            return self._inner.read(file, path=path, course=course)
        with with_descriptor(file) as given:
            return self._pool.read(given, path=path, course=course)


class BoundedFolderReader(BoundedReader):
    """A `BoundedReader` and `vta.ports.FolderPacker` for folders that are one document."""

    def __init__(self, inner: DocumentReader, packer: FolderPacker, pool: ReaderPool) -> None:
        super().__init__(inner, pool)
        self._packer = packer

    def entry(self, folder: Path) -> str | None:
        return self._packer.entry(folder)

    def pack(self, folder: Path) -> BinaryIO:
        return self._packer.pack(folder)


def _size(file: BinaryIO) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size
