"""A commit of tantivy without its waits for the disk.

tantivy writes about eighteen small files for a commit and waits for the disk after each. Here it commits in a
folder in memory that holds links to the files of the index, and what it wrote is then copied beside them and
synced all at once. `meta.json`, which names the files of a commit, takes the place of the old one last, so
that at any moment the folder holds the old commit or the new one. That the disk keeps renames in their order
is all that is asked of it: no stamp outlives a power failure that its commit did not.

A process that is killed half way leaves files that `meta.json` does not name. tantivy refuses to write a file
that is there already, and the next commit may well want the same name, so such files are never linked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

if sys.platform != "win32":  # where there is no such folder in memory either
    import fcntl

MEMORY = Path("/dev/shm")  # noqa: S108  (Linux keeps it in memory; a folder made in it is our own)
"""Where it is missing or nearly full, tantivy commits in the folder itself."""
_LEAST_FREE = 32_000_000
"""Bytes for the merging of small segments; a container has 64 MB if nothing else is said."""
META, _MANAGED = "meta.json", ".managed.json"
_LOCK = ".tantivy-meta.lock"
"""Held by readers while they open what meta.json names."""
_SEGMENT_FILE = re.compile(r"[0-9a-f]{32}\..+")
_SYNCS_AT_ONCE = 16


@contextmanager
def written_beside(folder: Path, *, room: int) -> Iterator[Path]:
    """A folder with the index of `folder`, to commit up to `room` bytes in; they are then moved to `folder`.

    After an error `folder` is as it was. No other process may write to it meanwhile; it may be read.
    """
    if not _has_room(MEMORY, room):
        drop_left_over(folder)
        yield folder
        return
    owner = folder.parent.parent.absolute()  # of all generations
    prefix = f"vta-{hashlib.sha256(os.fsencode(owner)).hexdigest()[:16]}-"
    for killed in MEMORY.glob(f"{prefix}*"):  # no other process writes to this index now
        shutil.rmtree(killed, ignore_errors=True)
    # a merge that is still running may put a file there while it goes; the next change takes it away
    with tempfile.TemporaryDirectory(prefix=prefix, dir=MEMORY, ignore_cleanup_errors=True) as place:
        scratch = Path(place)
        shutil.copyfile(folder / META, scratch / META)
        named = [file for file in _segment_files(folder) if _is_named(file.name, _names(folder))]
        for file in named:
            (scratch / file.name).symlink_to(file.absolute())
        managed = [META, *(file.name for file in named)]
        (scratch / _MANAGED).write_text(json.dumps(managed), encoding="utf-8")
        yield scratch
        _bring_home(scratch, folder)


def part_folders(generation: Path) -> list[Path]:
    """The folders of tantivy in a generation, one a course."""
    return [meta.parent for meta in sorted(generation.glob(f"*/{META}"))]


def left_over_files(folder: Path) -> list[Path]:
    """Files of segments that `meta.json` does not name, left by a killed process. Nothing may be writing."""
    named = _names(folder)
    return [file for file in _segment_files(folder) if not _is_named(file.name, named)]


def drop_left_over(folder: Path) -> None:
    """Remove the `left_over_files`. No other process may write to the folder meanwhile; it may be read."""
    with _locked(folder / _LOCK):
        for file in left_over_files(folder):
            file.unlink()


def _has_room(memory: Path, room: int) -> bool:
    try:
        return os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= _LEAST_FREE + room
    except OSError:
        return False


def _names(folder: Path) -> dict[str, str | None]:
    """What `meta.json` names: the segments, as their files begin, and the file of each one's deletions."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    named: dict[str, str | None] = {}
    for segment in meta["segments"]:
        begin = str(segment["segment_id"]).replace("-", "")
        deletes = segment["deletes"]
        named[begin] = f"{begin}.{deletes['opstamp']}.del" if deletes else None
    return named


def _is_named(file: str, named: Mapping[str, str | None]) -> bool:
    begin, _, _ = file.partition(".")
    return begin in named and (not file.endswith(".del") or file == named[begin])


def _segment_files(folder: Path) -> list[Path]:
    return [file for file in folder.iterdir() if _SEGMENT_FILE.fullmatch(file.name)]


def _bring_home(scratch: Path, folder: Path) -> None:
    """Copy and sync new files, then replace `meta.json`, then remove the files that it no longer names."""
    managed = set(json.loads((scratch / _MANAGED).read_text(encoding="utf-8")))
    new = [file.name for file in _segment_files(scratch) if not file.is_symlink() and file.name in managed]
    staged = [*new, f"{META}.new", f"{_MANAGED}.new"]
    for name in staged:
        shutil.copyfile(scratch / name.removesuffix(".new"), folder / name)
    list(_pool().map(_sync, (folder, *(folder / name for name in staged))))
    with _locked(folder / _LOCK):
        for name in (_MANAGED, META):
            (folder / f"{name}.new").replace(folder / name)
        for file in _segment_files(folder):
            if file.name not in managed:
                file.unlink()


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock of tantivy; its file stays. Windows keeps a file that is open, and needs none."""
    with path.open("a") as file:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@cache
def _pool() -> ThreadPoolExecutor:
    """Its threads wait for the disk; to start them anew takes longer than that."""
    return ThreadPoolExecutor(_SYNCS_AT_ONCE, thread_name_prefix="index-disk")


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
