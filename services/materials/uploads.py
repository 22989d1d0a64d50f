"""Uploaded files on the disk: what is kept of what was sent, what is refused, what is passed over."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

from knowledge.sources.visibility import Unpacked
from services.reading.given_files import LONGEST_PART, MOST_FILES, GivenFile, UploadRefused, relative_name
from services.reading.pool import ReaderPool
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import is_hidden
from vta.ingest.zipped import is_packed
from vta.types.answers import Rejection

_unpacked = TypeAdapter(Unpacked)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files in a folder of their own, which goes when they are read.

    `release_at`, `refused` and `passed_over` are as in `Unpacked`.
    """

    folder: Path
    files: tuple[Path, ...]
    release_at: Mapping[str, datetime] = field(default_factory=dict)
    refused: tuple[Rejection, ...] = ()
    passed_over: tuple[str, ...] = ()

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def unpack(
    file: BinaryIO | Path, folder: Path, *, path: str, reading: ReaderPool, into: Unpacked
) -> list[str]:
    """The paths in a folder of the readable files of one that `is_packed`; what is said of them goes `into`.

    `InvalidInput` where it cannot be read, or nothing of it.
    """
    with _opened(file) as packed:
        found = _unpacked.validate_json(reading.run("unpack", packed, path=path, folder=str(folder)))
    if not found.files:
        raise InvalidInput(found.refused[0].fault if found.refused else Fault("upload.empty_zip", name=path))
    into.release_at.update(found.release_at)
    into.refused.extend(found.refused)
    into.passed_over.extend(found.passed_over)
    return found.files


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
    files, found = list[Path](), Unpacked()
    for each in given:
        for path, source in _files_of(each, folder, wanted, reading, found):
            target = folder / path
            if target.exists():
                found.refused.append(Rejection(path=path, fault=Fault("upload.again", name=path)))
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with _opened(source) as content, target.open("xb") as out:
                shutil.copyfileobj(content, out, 1 << 20)
            files.append(target)
    return KeptFiles(
        folder=folder,
        files=tuple(files),
        release_at=found.release_at,
        refused=tuple(found.refused),
        passed_over=tuple(found.passed_over),
    )


def _files_of(
    given: GivenFile,
    folder: Path,
    wanted: Callable[[str], bool],
    reading: ReaderPool,
    found: Unpacked,
) -> Iterator[tuple[str, BinaryIO | Path]]:
    """The path and content of a file that is wanted, or of those in a ZIP."""
    if _is_hidden_in_folder(given.name):
        return
    try:
        name = relative_name(given.name)
        if is_packed(name):
            with tempfile.TemporaryDirectory(dir=folder.parent) as beside:  # so that all are kept, or none
                for path in unpack(given.file, Path(beside), path=name, reading=reading, into=found):
                    yield path, Path(beside, path)
        elif wanted(name):
            yield name, given.file
        elif "/" in name:
            found.passed_over.append(name)
        else:
            raise InvalidInput(Fault("upload.kind", name=name))
    except InvalidInput as error:
        found.refused.append(Rejection(path=given.name[:LONGEST_PART], fault=error.fault))


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
