"""Further tasks of a reading child, by name; the results are JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from knowledge.sources.cartridge import unpack_cartridge
from knowledge.sources.moodle import count_backup, unpack_backup
from knowledge.sources.visibility import Unpacked
from services.reading.links import links_of
from services.reading.readers import build_readers
from vta.errors import InvalidInput
from vta.ingest.zipped import count_wanted

_READERS = build_readers()


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
