"""Archives within limits: the small text files of a tar, read in memory, and the ZIPs of office files."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException, ElementTree

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.zipped import checked_name, unpack_zip

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
    stream = _Bounded(gzip.GzipFile(fileobj=file, mode="rb") if gzipped else file, path)
    taken: dict[PurePosixPath, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for count, member in enumerate(archive, start=1):
                name = checked_name(member.name, path=path, is_plain=member.isfile() or member.isdir())
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


def zip_members(file: BinaryIO, folder: Path, wanted: Wanted, path: str) -> dict[PurePosixPath, bytes]:
    """The same of a ZIP, unpacked in a folder that is as it was after."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        found = unpack_zip(file, Path(place), path=path, wanted=lambda name: wanted(PurePosixPath(name)))
        return {PurePosixPath(each.relative_to(place).as_posix()): each.read_bytes() for each in found}


def parse_xml(data: bytes, *, name: str, path: str) -> Element:
    """The tree of a member; `InvalidInput` that names it where it is no XML, or declares entities."""
    try:
        return ElementTree.fromstring(data, forbid_dtd=True)
    except ParseError as error:
        fault = Fault("file.no_xml", reason=str(error)).at(f"{path}: {name}", error.position[0])
        raise InvalidInput(fault, path=path) from error
    except (DefusedXmlException, ValueError, LookupError) as error:
        fault = Fault("file.refused_xml", reason=type(error).__name__).at(f"{path}: {name}")
        raise InvalidInput(fault, path=path) from error


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


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than the limits, so that a small file cannot fill the memory."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile, path: str) -> None:
        super().__init__()
        self._stream = stream
        self._path = path

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


MOST_ENTRIES = 10_000
LARGEST_PACKAGE = 300_000_000
"""Bytes of all entries unpacked."""
LARGEST_XML = 60_000_000
"""Bytes of all XML entries unpacked: these become trees in memory."""

_MARKUP_DECLARATION = re.compile(rb"<\0?!\0?(?:D\0?O\0?C\0?T\0?Y\0?P\0?E|E\0?N\0?T\0?I\0?T\0?Y)")
_DECLARED_IN = 65_536
ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
"""An element of office files with the same content for newer programs first, then for older ones."""
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


class Unreadable(InvalidInput):
    """A library cannot read the file: its form is broken, or memory is short."""


def check_package(file: BinaryIO, *, path: str, kind: str) -> None:
    """Refuse what would unpack to too much, and XML that declares entities; the file is at its start after.

    The sizes are those that the zip names; `zipfile` never unpacks more of an entry than that.
    """
    if file.read(len(_COMPOUND_FILE)) == _COMPOUND_FILE:
        raise InvalidInput(Fault("file.old_or_encrypted", kind=kind).at(path))
    file.seek(0)
    with faults_named(path, kind), zipfile.ZipFile(file) as package:
        entries = package.infolist()
        xml = [entry for entry in entries if entry.filename.lower().endswith((".xml", ".rels"))]
        if len(entries) > MOST_ENTRIES:
            fault = Fault("file.package_entries", count=len(entries), most=MOST_ENTRIES)
            raise InvalidInput(fault.at(path))
        if (size := sum(entry.file_size for entry in entries)) > LARGEST_PACKAGE:
            raise InvalidInput(Fault("file.package_size", size=size, most=LARGEST_PACKAGE).at(path))
        if (size := sum(entry.file_size for entry in xml)) > LARGEST_XML:
            raise InvalidInput(Fault("file.package_xml", size=size, most=LARGEST_XML).at(path))
        for entry in xml:
            with package.open(entry) as part:
                if _MARKUP_DECLARATION.search(part.read(_DECLARED_IN)):
                    fault = Fault("file.declares_entities", entry=entry.filename, kind=kind)
                    raise InvalidInput(fault.at(path))
    file.seek(0)


@contextmanager
def faults_named(path: str, kind: str) -> Iterator[None]:
    """Turn whatever a library trips over in a broken file into `Unreadable`.

    The libraries for office files and PDF raise errors of every class on broken input, so all are caught
    but a lack of memory, which says nothing about the file's form.
    """
    try:
        yield
    except (InvalidInput, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise Unreadable(Fault("file.not_kind", kind=kind, reason=reason).at(path)) from error
