"""Uploaded files on the disk: what is kept of what was sent, what is refused, what is passed over."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from knowledge.sources.moodle import unpack_backup
from services.store.process_locks import ProcessFolders
from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.files import is_hidden
from vta.ingest.zipped import count_wanted, is_packed, unpack_zip
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
    file: BinaryIO


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
    file: BinaryIO, folder: Path, *, path: str, wanted: Callable[[str], bool], passed_over: list[str]
) -> tuple[Path, ...]:
    """The wanted files of one that `is_packed`, in a folder; the names of the others join `passed_over`.

    `InvalidInput` where it cannot be read, or none is wanted.
    """
    others = list[str]()

    def taken(name: str) -> bool:
        if not (is_wanted := wanted(name)):
            others.append(name)
        return is_wanted

    is_moodle = path.lower().endswith(".mbz")
    unpacked = (unpack_backup if is_moodle else unpack_zip)(file, folder, path=path, wanted=taken)
    if not unpacked:
        raise InvalidInput(Fault("upload.empty_zip", name=path))
    passed_over.extend(others)
    return unpacked


def keep_files(given: Sequence[GivenFile], folder: Path, wanted: Callable[[str], bool]) -> KeptFiles:
    """Write files into a folder, each under its name and folders; of a ZIP those that are wanted.

    One that cannot be kept refuses no other. `UploadRefused` where there are more than `MOST_FILES`, before
    any is unpacked; `OSError` where the disk does not take them.
    """
    count = sum(count_wanted(each.file, wanted) if is_packed(each.name) else 1 for each in given)
    if count > MOST_FILES:
        raise UploadRefused(Fault("upload.too_many", count=count, most=MOST_FILES), field="files")
    files, refused, passed_over = list[Path](), list[Rejection](), list[str]()
    for each in given:
        for path, source in _opened(each, folder, wanted, refused, passed_over):
            target = folder / path
            if target.exists():
                refused.append(Rejection(path=path, fault=Fault("upload.again", name=path)))
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
            files.append(target)
    return KeptFiles(
        folder=folder, files=tuple(files), refused=tuple(refused), passed_over=tuple(passed_over)
    )


def _opened(
    given: GivenFile,
    folder: Path,
    wanted: Callable[[str], bool],
    refused: list[Rejection],
    passed_over: list[str],
) -> Iterator[tuple[str, BinaryIO]]:
    """The path and content of a file that is wanted, or of those in a ZIP."""
    if _is_hidden_in_folder(given.name):
        return
    try:
        name = relative_name(given.name)
        if is_packed(name):
            yield from _unpacked(given.file, name, folder, wanted, passed_over)
        elif wanted(name):
            yield name, given.file
        elif "/" in name:
            passed_over.append(name)
        else:
            raise InvalidInput(Fault("upload.kind", name=name))
    except InvalidInput as error:
        refused.append(Rejection(path=given.name[:_LONGEST_PART], fault=error.fault))


def _unpacked(
    file: BinaryIO, name: str, folder: Path, wanted: Callable[[str], bool], passed_over: list[str]
) -> Iterator[tuple[str, BinaryIO]]:
    """The files of a ZIP, all or none: it is unpacked beside the others first."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        room = Path(beside)
        for path in unpack(file, room, path=name, wanted=wanted, passed_over=passed_over):
            with path.open("rb") as content:
                yield path.relative_to(room).as_posix(), content


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
    """The folders of uploads, in that of their process."""

    def keep(
        self, given: Sequence[GivenFile], wanted: Callable[[str], bool] = lambda path: True
    ) -> KeptFiles:
        """Keep files in a new folder, see `keep_files`; `UpstreamFailed` where the disk takes them not."""
        try:
            folder = Path(tempfile.mkdtemp(dir=self.own()))
            try:
                return keep_files(given, folder, wanted)
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
