"""The small text files of a tar archive, plain or gzipped, read in memory and never written anywhere."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from vta.errors import InvalidInput
from vta.faults import Fault

MOST_MEMBERS = 50_000
LARGEST_ARCHIVE = 4_000_000_000
"""Bytes unpacked, those passed over included."""
LARGEST_TEXTS = 200_000_000
"""Bytes of all members taken."""
_LARGEST_READ = 64_000_000
_GZIP = b"\x1f\x8b"

Wanted = Callable[[PurePosixPath], bool]


def unpack(file: BinaryIO, wanted: Wanted, *, path: str) -> dict[PurePosixPath, bytes]:
    """The members whose name is wanted, by name.

    Raises `InvalidInput` for a damaged archive, one that unpacks to too much, and one with links, devices or
    names that lead outside of it, which no export has.
    """
    file.seek(0)
    gzipped = file.read(2) == _GZIP
    file.seek(0)
    stream = _Bounded(gzip.GzipFile(fileobj=file) if gzipped else file, path)
    taken: dict[PurePosixPath, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for count, member in enumerate(archive, start=1):
                name = _checked_name(member, path)
                if count > MOST_MEMBERS:
                    raise InvalidInput(Fault("file.too_many_entries", most=MOST_MEMBERS).at(path))
                if not member.isfile() or not wanted(name):
                    continue
                size += member.size
                if size > LARGEST_TEXTS:
                    raise InvalidInput(Fault("file.too_much_text", most=LARGEST_TEXTS).at(path))
                opened = archive.extractfile(member)
                taken[name] = opened.read() if opened else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        raise InvalidInput(Fault("file.no_tar", reason=str(error)).at(path)) from error
    return taken


def pack(folder: Path, wanted: Wanted) -> BinaryIO:
    """The wanted files of a folder as a tar archive of their bytes alone; links are left out."""
    packed = tempfile.SpooledTemporaryFile(max_size=_LARGEST_READ)  # noqa: SIM115
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for here, folders, files in os.walk(folder):
            folders.sort()
            for file in sorted(files):
                place = Path(here, file)
                name = PurePosixPath(place.relative_to(folder).as_posix())
                if not wanted(name) or place.is_symlink() or not place.is_file():
                    continue
                member = tarfile.TarInfo(str(name))
                data = place.read_bytes()
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
    packed.seek(0)
    return packed  # type: ignore[return-value]


def _checked_name(member: tarfile.TarInfo, path: str) -> PurePosixPath:
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts or "\\" in member.name or "\x00" in member.name:
        raise InvalidInput(Fault("file.entry_leads_out", entry=member.name[:200]).at(path))
    if not (member.isfile() or member.isdir()):
        raise InvalidInput(Fault("file.entry_is_link", entry=member.name[:200]).at(path))
    return name


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than the limits, so that a small file cannot fill the memory."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile, path: str) -> None:
        super().__init__()
        self._stream = stream
        self._path = path

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, place: int, whence: int = 0, /) -> int:
        if place > LARGEST_ARCHIVE:
            raise self._refusal(LARGEST_ARCHIVE)
        return self._stream.seek(place, whence)

    def read(self, size: int = -1, /) -> bytes:
        if not 0 <= size <= _LARGEST_READ:
            raise self._refusal(_LARGEST_READ)
        if self._stream.tell() + size > LARGEST_ARCHIVE:
            raise self._refusal(LARGEST_ARCHIVE)
        return self._stream.read(size)

    def _refusal(self, limit: int) -> InvalidInput:
        return InvalidInput(Fault("file.unpacks_to_too_much", most=limit).at(self._path))
