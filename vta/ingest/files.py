"""Which files a folder gives to be read, and how each is opened."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ports import DocumentReader, FolderPacker

LARGEST_FILE = 1_000_000_000
"""Bytes; readers of texts, which are held in memory, take less."""
_PIECE = 1_000_000
_MOST_NAMED = 10
_NO_PAGES = frozenset(
    "__MACOSX 404.html 404.md "
    "_data _drafts _includes _layouts _plugins _sass _site "  # Jekyll
    "_build _static _templates".split()  # Sphinx
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """A file, or a folder that is one document; `folder` is the name of the folder given, if one was."""

    path: str
    file: Path
    folder: str
    reader: DocumentReader
    packer: FolderPacker | None


def find_files(
    roots: Sequence[Path], readers: Sequence[DocumentReader], *, base: Path | None = None
) -> tuple[tuple[FoundFile, ...], tuple[str, ...]]:
    """Each file of a known kind, and the paths of the others in folders; sorted by path inside the root.

    A file given by itself is known by its name, or by its path inside of `base` where it lies there.

    Raises `InvalidInput` for a root that does not exist, a path given twice, or where nothing is found.
    """
    packers = [reader for reader in readers if isinstance(reader, FolderPacker)]
    found: dict[str, FoundFile] = {}
    unknown: list[str] = []
    for root in roots:
        if not root.exists():
            raise InvalidInput(Fault("file.not_found").at(str(root)))
        for path, file, folder, packer in _walk(root, packers, base):
            reader = next((reader for reader in readers if reader.handles(path)), None)
            if reader is None:
                if root.is_file():
                    raise InvalidInput(Fault("file.no_reader").at(str(root)))
                if file.is_file():
                    unknown.append(path)
                continue
            if path in found:
                twice = Fault("file.given_twice", first=str(found[path].file), second=str(file))
                raise InvalidInput(twice.at(path))
            found[path] = FoundFile(path=path, file=file, folder=folder, reader=reader, packer=packer)
    if not found:
        named = ", ".join(map(str, roots))
        raise InvalidInput(Fault("file.none_known", roots=named, found=count_kinds(unknown) or "-"))
    return tuple(found[path] for path in sorted(found)), tuple(sorted(unknown))


def count_kinds(paths: Iterable[str]) -> str:
    """The kinds of files by the ending of their names, with how many there are: `3 .tex, 1 Makefile`."""
    kinds = Counter(PurePosixPath(path).suffix.lower() or PurePosixPath(path).name for path in paths)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(_MOST_NAMED))


def is_hidden(parts: Iterable[str]) -> bool:
    """Whether a path leads to what no reader of the course sees.

    That is what systems and programs add (`.git`, `__MACOSX`, Word's `~$` locks), and templates and drafts.
    """
    return any(part.startswith((".", "~$")) or part in _NO_PAGES for part in parts if part.strip("."))


def _walk(
    root: Path, packers: Sequence[FolderPacker], base: Path | None
) -> Iterator[tuple[str, Path, str, FolderPacker | None]]:
    """Path, file and folder of each document; with the packer where a folder is one document by itself."""
    if root.is_file():
        known_by = root.relative_to(base) if base and root.is_relative_to(base) else Path(root.name)
        yield known_by.as_posix(), root, "", None
        return
    packed: set[Path] = set()
    for file in (root, *sorted(root.rglob("*"))):
        inside = file.relative_to(root)
        if is_hidden(inside.parts) or not packed.isdisjoint(file.parents):
            continue
        if not (file.is_file() or file.is_dir()) or not file.resolve().is_relative_to(root.resolve()):
            continue
        if file.is_file():
            yield inside.as_posix(), file, root.resolve().name, None
        else:
            for packer in packers:
                if entry := packer.entry(file):
                    packed.add(file)
                    yield (inside / entry).as_posix(), file, root.resolve().name, packer


def digest(file: BinaryIO) -> str:
    """The SHA-256 of a file, from its start, as hex; read a piece at a time."""
    file.seek(0)
    found = hashlib.sha256()
    while piece := file.read(_PIECE):
        found.update(piece)
    return found.hexdigest()


@contextmanager
def opened(found: FoundFile) -> Iterator[BinaryIO]:
    """The file for reading, refused before it is read where it is too large."""
    try:
        with found.packer.pack(found.file) if found.packer else found.file.open("rb") as file:
            size = file.seek(0, 2)
            if size > LARGEST_FILE:
                raise InvalidInput(Fault("file.too_large", size=size, most=LARGEST_FILE).at(found.path))
            file.seek(0)
            yield file
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(found.path)) from error
