"""Where uploaded files lie until they are read: in the data folder, swept when their process is gone."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from vta.errors import InvalidInput, UpstreamFailed
from vta.faults import Fault
from vta.ingest.zipped import is_zip, unpack_zip

_LOCK = ".lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file as it was sent."""

    name: str
    file: BinaryIO


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFiles:
    """Files in a folder of their own, which goes when they are read."""

    folder: Path
    files: tuple[Path, ...]

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class UploadFolders:
    """The folders of uploads under one root, which several processes may share.

    Each process holds a lock on a file beside its own folder as long as it lives, so that another one can
    tell what a killed process left behind.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._guard = Lock()
        self._own: Path | None = None
        self._held: int | None = None

    def keep(
        self, given: Sequence[GivenFile], wanted: Callable[[str], bool] = lambda path: True
    ) -> KeptFiles:
        """Write files into a new folder, each under its name and folders; of a ZIP the files that are wanted.

        `InvalidInput` for a name given twice and for a ZIP as `unpack_zip` says, `UpstreamFailed` where the
        disk does not take them.
        """
        try:
            folder = Path(tempfile.mkdtemp(dir=self._home()))
            try:
                files = [file for each in given for file in _written(each, folder, wanted)]
            except FileExistsError as error:
                shutil.rmtree(folder, ignore_errors=True)
                name = Path(error.filename or "").name
                raise InvalidInput(Fault("upload.twice", name=name), field="files") from error
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        except OSError as error:
            raise UpstreamFailed(Fault("upload.not_kept", reason=error.strerror or "")) from error
        return KeptFiles(folder=folder, files=tuple(files))

    def sweep(self) -> None:
        """Remove what processes that are gone have left behind."""
        for folder in self._root.glob("*/") if self._root.is_dir() else ():
            held = _locked(folder.with_suffix(_LOCK))
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                folder.with_suffix(_LOCK).unlink(missing_ok=True)
                os.close(held)

    def close(self) -> None:
        """Remove the folders of this process."""
        with self._guard:
            own, held, self._own, self._held = self._own, self._held, None, None
        if own is not None and held is not None:
            shutil.rmtree(own, ignore_errors=True)
            own.with_suffix(_LOCK).unlink(missing_ok=True)
            os.close(held)

    def _home(self) -> Path:
        """The folder of this process, which is made when it is first needed."""
        with self._guard:
            while self._own is None:
                self._root.mkdir(parents=True, exist_ok=True)
                own = self._root / os.urandom(8).hex()
                self._held = _locked(own.with_suffix(_LOCK))
                if self._held is not None:
                    own.mkdir()
                    self._own = own
            return self._own


def _locked(file: Path) -> int | None:
    """A descriptor that holds the lock of a file; None where another process has it, or swept it just now."""
    held = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.stat(file).st_ino == os.fstat(held).st_ino:
            return held
    except (BlockingIOError, FileNotFoundError):
        pass
    os.close(held)
    return None


def _written(given: GivenFile, folder: Path, wanted: Callable[[str], bool]) -> tuple[Path, ...]:
    """A file of an upload on the disk, or the files of a ZIP."""
    if is_zip(given.name):
        return unpack_zip(given.file, folder, path=given.name, wanted=wanted)
    file = folder.joinpath(*relative_name(given.name).split("/"))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("xb") as out:
        shutil.copyfileobj(given.file, out, 1 << 20)
    return (file,)


def relative_name(name: str) -> str:
    """A name with its folders, as a browser gives it for a folder; without those of one that leads out."""
    *folders, _ = re.split(r"[/\\]", name)
    last = plain_name(name)
    if "" in folders or any(
        part in (".", "..") or ":" in part or len(part.encode()) > 200 for part in folders
    ):
        return last
    return "/".join([*(part.replace("\0", "").strip() or "_" for part in folders), last])


def plain_name(name: str) -> str:
    """The last part of a name, without what no file may be called by."""
    last = re.split(r"[/\\]", name)[-1].replace("\0", "").strip()
    if not last or last.startswith(".") or len(last.encode()) > 200:
        raise InvalidInput(Fault("upload.no_name", name=last[:50]), field="files")
    return last
