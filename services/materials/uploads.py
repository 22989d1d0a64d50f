"""Uploaded files on the disk: what is stored, refused or passed over."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

from knowledge.sources.visibility import Unpacked
from services.reading.given_files import LONGEST_PART, MOST_FILES, GivenFile, UploadRefused, relative_name
from services.reading.pool import ReaderPool
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import digest, is_hidden
from vta.ingest.zipped import is_packed
from vta.types.answers import Rejection

_unpacked = TypeAdapter(Unpacked)


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """Files in a folder that exists until they are read, and what else was `found` in the upload."""

    folder: Path
    files: tuple[Path, ...] = ()
    found: Unpacked = field(default_factory=Unpacked)

    def digest(self, missing: Sequence[str]) -> str:
        """The digest of all paths and contents, and of the paths that are `missing`."""
        whole = sha256("".join(f"{path}\n" for path in missing).encode())
        for each in sorted(self.files):
            with each.open("rb") as content:
                whole.update(f"{each.relative_to(self.folder)}\0{digest(content)}\n".encode())
        return whole.hexdigest()

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def unpack(
    file: BinaryIO | Path, folder: Path, *, path: str, reading: ReaderPool, into: Unpacked
) -> list[str]:
    """Unpack an archive into a folder: the paths of its readable files; the rest is noted in `into`.

    `InvalidInput` for an archive that cannot be read, or that holds nothing readable.
    """
    with _opened(file) as packed:
        found = _unpacked.validate_json(reading.run("unpack", packed, path=path, folder=str(folder)))
    if not found.files:
        raise InvalidInput(found.refused[0].fault if found.refused else Fault("upload.empty_zip", name=path))
    into.release_at.update(found.release_at)
    into.refused.extend(found.refused)
    into.passed_over.extend(found.passed_over)
    return found.files


def _opened(file: BinaryIO | Path) -> AbstractContextManager[BinaryIO]:
    return file.open("rb") if isinstance(file, Path) else nullcontext(file)


def _is_hidden_in_folder(name: str) -> bool:
    """Whether a file is one that systems put into folders, such as `.DS_Store` or those of Git."""
    parts = re.split(r"[/\\]", name)
    return len(parts) > 1 and is_hidden(parts)


class UploadFolders(ProcessFolders):
    """The folders of uploads, in that of their process; archives are unpacked by the pool."""

    def __init__(self, root: Path, reading: ReaderPool) -> None:
        super().__init__(root)
        self._reading = reading

    def store(
        self, given: Sequence[GivenFile], wanted: Callable[[str], bool] = lambda path: True
    ) -> StoredUpload:
        """Write files into a new folder, each under its name and folders; of a ZIP those that are wanted.

        A file that cannot be stored refuses no other. `UploadRefused` for more than `MOST_FILES`, before any
        is unpacked; `UpstreamFailed` where the disk fails.
        """
        files, found = list[Path](), Unpacked()
        with self._new_folder() as folder:
            count = sum(self._count(each, folder.parent) for each in given)
            if count > MOST_FILES:
                raise UploadRefused(Fault("upload.too_many", count=count, most=MOST_FILES), field="files")
            for each in given:
                for path, source in self._files_of(each, folder.parent, wanted, found):
                    target = folder / path
                    if target.exists():
                        found.refused.append(Rejection(path=path, fault=Fault("upload.again", name=path)))
                        continue
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with _opened(source) as content, target.open("xb") as out:
                        shutil.copyfileobj(content, out, 1 << 20)
                    files.append(target)
        return StoredUpload(folder, tuple(files), found)

    def store_pieces(self, pieces: Iterable[tuple[str, bytes]], found: Unpacked) -> StoredUpload:
        """Write files into a new folder from their pieces, each with its path; errors as in `store`."""
        files = dict[Path, None]()
        with self._new_folder() as folder:
            for path, piece in pieces:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("ab") as out:
                    out.write(piece)
                files[target] = None
        return StoredUpload(folder, tuple(files), found)

    @contextmanager
    def _new_folder(self) -> Iterator[Path]:
        """A folder that is removed on an error."""
        folder = None
        try:
            folder = Path(tempfile.mkdtemp(dir=self.own()))
            yield folder
        except BaseException as error:
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise UpstreamFailed(Fault("upload.not_kept", reason=error.strerror or "")) from error
            raise

    def _count(self, given: GivenFile, beside: Path) -> int:
        """The number of files in an archive, 0 for one that cannot be read; 1 for any other file."""
        if not is_packed(given.name):
            return 1
        try:
            with tempfile.TemporaryDirectory(dir=beside) as folder, _opened(given.file) as packed:
                return int(self._reading.run("count", packed, path=given.name, folder=folder))
        except InvalidInput:
            return 0

    def _files_of(
        self, given: GivenFile, beside: Path, wanted: Callable[[str], bool], found: Unpacked
    ) -> Iterator[tuple[str, BinaryIO | Path]]:
        """The path and content of a file that is wanted, or of those in a ZIP."""
        if _is_hidden_in_folder(given.name):
            return
        try:
            name = relative_name(given.name)
            if is_packed(name):
                with tempfile.TemporaryDirectory(dir=beside) as folder:  # so that all are stored, or none
                    for path in unpack(
                        given.file, Path(folder), path=name, reading=self._reading, into=found
                    ):
                        yield path, Path(folder, path)
            elif wanted(name):
                yield name, given.file
            elif "/" in name:
                found.passed_over.append(name)
            else:
                found.refused.append(Rejection(path=name, fault=Fault("upload.kind", name=name)))
        except InvalidInput as error:
            found.refused.append(Rejection(path=given.name[:LONGEST_PART], fault=error.fault))
