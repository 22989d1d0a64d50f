"""Locks by name between the processes of one machine, in a file."""

from __future__ import annotations

import fcntl
import logging
import os
from hashlib import blake2b
from pathlib import Path

LOCKED, NEXT = "locked", "next"
"""What a process holds of a name."""

_log = logging.getLogger(__name__)


def lock_place(name: str) -> int:
    """An even number of 62 bits, by which both kinds know the lock; the next one is the next in line."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) >> 2 & ~1


class FileLocks:
    """Locks of single bytes of a file, at offsets by name; the file stays empty. Nothing waits."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._held: dict[str, str] = {}

    async def try_lock(self, name: str) -> bool:
        """As the protocol says."""
        place = lock_place(name)
        try:
            if self._held.get(name) is None and self._take(place + 1):
                self._held[name] = NEXT
            if self._held.get(name) == NEXT and self._take(place):
                self._held[name] = LOCKED
                self._drop(place + 1)
        except OSError as failure:
            _log.warning("no locks between processes: %s", failure.strerror)
            return True
        return self._held.get(name) == LOCKED

    async def unlock(self, name: str) -> None:
        """As the protocol says."""
        held = self._held.pop(name, None)
        if held is not None:
            self._drop(lock_place(name) + (held == NEXT))

    async def aclose(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._held = None, {}

    def _take(self, place: int) -> bool:
        if self._descriptor is None:  # one for good: closing any would drop all locks of the process
            self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _drop(self, place: int) -> None:
        if self._descriptor is not None:
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, place)
