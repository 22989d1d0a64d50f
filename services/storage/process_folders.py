"""Folders of single processes under one root, which go when their process is gone."""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from threading import Lock

_LOCK = ".lock"


class ProcessFolders:
    """The folder of this process, beside those of others.

    Each process holds a lock on a file beside its own folder as long as it lives, so that another one can
    tell what a killed process left behind.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._guard = Lock()
        self._own: Path | None = None
        self._held: int | None = None

    def own(self) -> Path:
        """The folder of this process, which is made when it is first needed."""
        with self._guard:
            while self._own is None:
                self.root.mkdir(parents=True, exist_ok=True)
                own = self.root / os.urandom(8).hex()
                self._held = _locked(own.with_suffix(_LOCK))
                if self._held is not None:
                    own.mkdir()
                    self._own = own
            return self._own

    def sweep(self) -> None:
        """Remove what processes that are gone have left behind."""
        for folder in self.root.glob("*/") if self.root.is_dir() else ():
            held = _locked(folder.with_suffix(_LOCK))
            if held is not None:
                shutil.rmtree(folder, ignore_errors=True)
                folder.with_suffix(_LOCK).unlink(missing_ok=True)
                os.close(held)

    def close(self) -> None:
        """Remove the folder of this process."""
        with self._guard:
            own, held, self._own, self._held = self._own, self._held, None, None
        if own is not None and held is not None:
            shutil.rmtree(own, ignore_errors=True)
            own.with_suffix(_LOCK).unlink(missing_ok=True)
            os.close(held)


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
