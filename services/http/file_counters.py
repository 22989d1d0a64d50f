"""Counts in a file of the data folder, for limits that the processes of one machine share."""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

SLOTS = 1 << 16
_SLOT = struct.Struct("<QIII4x")
"""A name's digest, the present window, the count of the one before, and its own."""
_PROBES = 64
"""Slots in which a name may stand, from the one that its digest says."""
_TRIES = 100
"""How often the lock is asked for before it is done without; it is held for some microseconds."""

_log = logging.getLogger(__name__)


class FileCounters:
    """`services.http.counters.SharedCounters` in shared memory: a few microseconds each, without waiting.

    A count takes the place of one whose windows are over. Where there is none, or the file cannot be used,
    the count is unknown.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._descriptor: int | None = None
        self._table: mmap.mmap | None = None
        self._unusable = False

    async def add(self, name: str, window: int, window_s: int) -> tuple[int, int] | None:
        """As the protocol says."""
        with self._locked() as table:
            slot = None if table is None else _find(table, _digest(name), window)
            if table is None or slot is None:
                return None
            _, known, before, within = _SLOT.unpack_from(table, slot)
            window = max(known, window)  # another process may be in the next window already
            if known < window:
                before, within = within if known == window - 1 else 0, 0
            _SLOT.pack_into(table, slot, _digest(name), window, before, within + 1)
            return before, within + 1

    async def take_back(self, name: str, window: int) -> None:
        """As the protocol says."""
        with self._locked() as table:
            slot = None if table is None else _find(table, _digest(name), window)
            if table is None or slot is None:
                return
            digest, known, before, within = _SLOT.unpack_from(table, slot)
            if known == window:
                within = max(0, within - 1)
            elif known == window + 1:
                before = max(0, before - 1)
            _SLOT.pack_into(table, slot, digest, known, before, within)

    async def state(self) -> None:
        """Nothing to tell: it is no service."""

    async def aclose(self) -> None:
        if self._table is not None:
            self._table.close()
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._table = self._descriptor = None
        self._unusable = True

    @contextmanager
    def _locked(self) -> Iterator[mmap.mmap | None]:
        """The table while no other process has it; None where it cannot be had at once."""
        table = self._open()
        if table is None or self._descriptor is None or not _lock(self._descriptor):
            yield None
            return
        try:
            yield table
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _open(self) -> mmap.mmap | None:
        if self._table is None and not self._unusable:
            try:
                self._descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                os.ftruncate(self._descriptor, SLOTS * _SLOT.size)
                self._table = mmap.mmap(self._descriptor, SLOTS * _SLOT.size)
            except OSError as failure:
                _log.warning("limits are counted in this process: %s", failure.strerror)
                self._unusable = True
        return self._table


def _lock(descriptor: int) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.sched_yield()
        else:
            return True
    return False


def _find(table: mmap.mmap, digest: int, window: int) -> int | None:
    """Where a name's count stands, or may; None where all places are taken."""
    free = None
    for probe in range(_PROBES):
        slot = (digest + probe) % SLOTS * _SLOT.size
        kept, known, _, _ = _SLOT.unpack_from(table, slot)
        if kept == digest:
            return slot
        if free is None and known < window - 1:
            free = slot
        if not kept:
            break
    return free


def _digest(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest()) | 1  # 0 is a slot never used
