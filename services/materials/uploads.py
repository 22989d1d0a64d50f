"""Uploaded files on the disk: what is kept of what was sent, what is refused, what is passed over."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from services.reading.pool import ReaderPool
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import is_hidden
from vta.ingest.zipped import is_packed
from vta.types.answers import Rejection

MOST_FILES = 1000
"""Of one upload, those in its ZIPs among them."""
_LONGEST_PART = 200
"""Bytes of a name."""


class UploadRefused(InvalidInput):
    """A form that is none, or that holds more files than are taken at a time: 400."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file as it was sent; `name` may have folders, as a browser gives it for a chosen folder."""

    name: str
    file: BinaryIO | Path


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files in a folder of their own, which goes when they are read.

    `refused` are files that were named and cannot be kept; `passed_over` those of folders and ZIPs that
    nothing reads.
    """

    folder: Path
    files: tuple[Path, ...]
    refused: tuple[Rejection, ...] = ()
    passed_over: tuple[str, ...] = ()

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def unpack(
    file: BinaryIO | Path, folder: Path, *, path: str, reading: ReaderPool
) -> tuple[list[Path], list[str]]:
    """The readable files of one that `is_packed`, in a folder, and the names of the others.

    `InvalidInput` where it cannot be read.
    """
    with _opened(file) as packed:
        found = json.loads(reading.run("unpack", packed, path=path, folder=str(folder)))
    return [folder / each for each in found["files"]], found["passed_over"]


def _count(given: GivenFile, folder: Path, reading: ReaderPool) -> int:
    """How many files one counts as; 0 for an archive that cannot be read."""
    if not is_packed(given.name):
        return 1
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent) as beside, _opened(given.file) as packed:
            return int(reading.run("count", packed, path=given.name, folder=beside))
    except InvalidInput:
        return 0


def _opened(file: BinaryIO | Path) -> AbstractContextManager[BinaryIO]:
    return file.open("rb") if isinstance(file, Path) else nullcontext(file)


def keep_files(
    given: Sequence[GivenFile], folder: Path, wanted: Callable[[str], bool], reading: ReaderPool
) -> KeptFiles:
    """Write files into a folder, each under its name and folders; of a ZIP those that are wanted.

    One that cannot be kept refuses no other. `UploadRefused` where there are more than `MOST_FILES`, before
    any is unpacked; `OSError` where the disk does not take them.
    """
    count = sum(_count(each, folder, reading) for each in given)
    if count > MOST_FILES:
        raise UploadRefused(Fault("upload.too_many", count=count, most=MOST_FILES), field="files")
    files, refused, passed_over = list[Path](), list[Rejection](), list[str]()
    for each in given:
        for path, source in _files_of(each, folder, wanted, reading, refused, passed_over):
            target = folder / path
            if target.exists():
                refused.append(Rejection(path=path, fault=Fault("upload.again", name=path)))
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with _opened(source) as content, target.open("xb") as out:
                shutil.copyfileobj(content, out, 1 << 20)
            files.append(target)
    return KeptFiles(
        folder=folder, files=tuple(files), refused=tuple(refused), passed_over=tuple(passed_over)
    )


def _files_of(
    given: GivenFile,
    folder: Path,
    wanted: Callable[[str], bool],
    reading: ReaderPool,
    refused: list[Rejection],
    passed_over: list[str],
) -> Iterator[tuple[str, BinaryIO | Path]]:
    """The path and content of a file that is wanted, or of those in a ZIP."""
    if _is_hidden_in_folder(given.name):
        return
    try:
        name = relative_name(given.name)
        if is_packed(name):
            yield from _unpacked(given.file, name, folder, reading, passed_over)
        elif wanted(name):
            yield name, given.file
        elif "/" in name:
            passed_over.append(name)
        else:
            raise InvalidInput(Fault("upload.kind", name=name))
    except InvalidInput as error:
        refused.append(Rejection(path=given.name[:_LONGEST_PART], fault=error.fault))


def _unpacked(
    file: BinaryIO | Path, name: str, folder: Path, reading: ReaderPool, passed_over: list[str]
) -> Iterator[tuple[str, Path]]:
    """The files of a ZIP, all or none: it is unpacked beside the others first."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        room = Path(beside)
        unpacked, left = unpack(file, room, path=name, reading=reading)
        if not unpacked:
            raise InvalidInput(Fault("upload.empty_zip", name=name))
        passed_over.extend(left)
        for path in unpacked:
            yield path.relative_to(room).as_posix(), path


def relative_name(name: str) -> str:
    """A name with its folders, as a browser gives it for a folder; without those of one that leads out."""
    *folders, _ = re.split(r"[/\\]", name)
    last = plain_name(name)
    if "" in folders or any(
        part in (".", "..") or ":" in part or len(part.encode()) > _LONGEST_PART for part in folders
    ):
        return last
    return "/".join([*(part.replace("\0", "").strip() or "_" for part in folders), last])


def plain_name(name: str) -> str:
    """The last part of a name, without what no file may be called by."""
    last = re.split(r"[/\\]", name)[-1].replace("\0", "").strip()
    if not last or last.startswith(".") or len(last.encode()) > _LONGEST_PART:
        raise InvalidInput(Fault("upload.no_name", name=last[:50]), field="files")
    return last


def _is_hidden_in_folder(name: str) -> bool:
    """Whether it is one of the files that systems put into folders, such as `.DS_Store` or those of Git."""
    parts = re.split(r"[/\\]", name)
    return len(parts) > 1 and is_hidden(parts)


class UploadFolders(ProcessFolders):
    """The folders of uploads, in that of their process; archives are unpacked by the pool."""

    def __init__(self, root: Path, reading: ReaderPool) -> None:
        super().__init__(root)
        self._reading = reading

    def keep(
        self, given: Sequence[GivenFile], wanted: Callable[[str], bool] = lambda path: True
    ) -> KeptFiles:
        """Keep files in a new folder, see `keep_files`; `UpstreamFailed` where the disk takes them not."""
        try:
            folder = Path(tempfile.mkdtemp(dir=self.own()))
            try:
                return keep_files(given, folder, wanted, self._reading)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        except OSError as error:
            raise UpstreamFailed(Fault("upload.not_kept", reason=error.strerror or "")) from error

    def keep_pieces(self, pieces: Iterable[tuple[str, bytes]]) -> KeptFiles:
        """Keep files in a new folder, whose paths come with their pieces; fails as `keep` does."""
        folder, files = Path(tempfile.mkdtemp(dir=self.own())), dict[Path, None]()
        try:
            for path, piece in pieces:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("ab") as out:
                    out.write(piece)
                files[target] = None
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise UpstreamFailed(Fault("upload.not_kept", reason=error.strerror or "")) from error
        return KeptFiles(folder=folder, files=tuple(files))
