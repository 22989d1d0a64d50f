"""Ends a piece of code at its n-th touch of a folder, as `kill -9` would; every moment can be tried."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TOUCHES = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.link", "os.symlink"})


class Killed(BaseException):
    """The process is gone from here on: no error handling may mend anything."""


@dataclass
class _Countdown:
    folder: str
    left: int


_countdown: _Countdown | None = None
_watching = False


@contextlib.contextmanager
def killed_at(touch: int, folder: Path) -> Iterator[None]:
    """Within the block every touch of a file below `folder` from the n-th on (from 1) raises `Killed`.

    Only Python's own touches count. From the first `Killed` on nothing in the folder can be changed any more,
    whatever handles the error.
    """
    global _countdown, _watching
    if not _watching:
        sys.addaudithook(_audit)
        _watching = True
    _countdown = _Countdown(str(folder), touch)
    try:
        yield
    finally:
        _countdown = None


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if _countdown is None or event not in _TOUCHES:
        return
    paths = [os.fsdecode(each) for each in arguments if isinstance(each, (str, bytes, os.PathLike))]
    if any(path.startswith(_countdown.folder) for path in paths):
        _countdown.left -= 1
        if _countdown.left <= 0:
            raise Killed
