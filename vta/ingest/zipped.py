"""Course files in a ZIP, an EPUB or a Common Cartridge: unpacked with their folders, within limits."""

from __future__ import annotations

import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.files import is_hidden

MOST_ENTRIES = 10_000
LARGEST_UNPACKED = 1_000_000_000
"""Bytes of all files taken."""
_PIECE = 1 << 20
_UTF_8 = 0x800


_CONTAINERS = frozenset({".epub", ".imscc"})
"""ZIPs of pages that are one work: their files go into a folder of its name."""


def is_packed(name: str) -> bool:
    """Whether a file of this name is read as the files in it."""
    return PurePosixPath(name).suffix.lower() in {".zip", ".mbz", *_CONTAINERS}


def unpack_zip(file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool]) -> tuple[Path, ...]:
    """Write the wanted files into a folder, each under its path in the ZIP; hidden ones are passed over.

    `InvalidInput` for what is no ZIP, unpacks to too much, needs a password, has links or names that lead out
    of it, or a file that is there already.
    """
    taken: list[Path] = []
    room = LARGEST_UNPACKED
    try:
        with ZipFile(file) as archive:
            for entry, name in _wanted(archive, path, wanted):
                target = folder.joinpath(*name.parts)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as packed, target.open("xb") as out:
                    while piece := packed.read(_PIECE):
                        room -= len(piece)
                        if room < 0:
                            raise InvalidInput(
                                Fault("file.unpacks_to_too_much", most=LARGEST_UNPACKED).at(path)
                            )
                        out.write(piece)
                taken.append(target)
    except FileExistsError as error:
        raise InvalidInput(Fault("upload.twice", name=Path(error.filename or "").name).at(path)) from error
    except (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error)).at(path)) from error
    return tuple(taken)


def count_wanted(file: BinaryIO, wanted: Callable[[str], bool]) -> int:
    """How many files `unpack_zip` would write, nothing being unpacked; 0 where it would refuse the ZIP."""
    try:
        with ZipFile(file) as archive:
            return sum(1 for _ in _wanted(archive, "", wanted))
    except (BadZipFile, InvalidInput, ValueError, NotImplementedError):
        return 0


def _wanted(
    archive: ZipFile, path: str, wanted: Callable[[str], bool]
) -> Iterator[tuple[ZipInfo, PurePosixPath]]:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise InvalidInput(Fault("file.too_many_entries", most=MOST_ENTRIES).at(path))
    for entry in entries:
        name = _checked(entry, path)
        if not (entry.is_dir() or is_hidden(name.parts)) and wanted(str(name)):
            yield entry, name


def _checked(entry: ZipInfo, path: str) -> PurePosixPath:
    name = PurePosixPath(_name(entry))
    if PurePosixPath(path).suffix.lower() in _CONTAINERS:
        name = PurePosixPath(PurePosixPath(path).stem) / name
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return checked_name(str(name), path=path, is_plain=kind in (0, stat.S_IFREG, stat.S_IFDIR))


def checked_name(given: str, *, path: str, is_plain: bool) -> PurePosixPath:
    """The name of an entry; `InvalidInput` where it leads out of its archive, or is no file or folder."""
    name = PurePosixPath(given)
    if name.is_absolute() or ".." in name.parts or "\\" in given or "\x00" in given:
        raise InvalidInput(Fault("file.entry_leads_out", entry=given[:200]).at(path))
    if not is_plain:
        raise InvalidInput(Fault("file.entry_is_link", entry=given[:200]).at(path))
    return name


def _name(entry: ZipInfo) -> str:
    """The name of an entry; without the mark for UTF-8 it may be UTF-8 all the same, or GB18030."""
    if not entry.flag_bits & _UTF_8:
        for encoding in ("utf-8", "gb18030"):
            try:
                return entry.filename.encode("cp437").decode(encoding)
            except UnicodeError:
                continue
    return entry.filename
