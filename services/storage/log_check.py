"""Whether the files of a SQLite store were deleted while a process has them open.

A process that goes on writing into a deleted log loses what it acknowledges, and nobody else sees it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Engine

from vta.errors import NotReady
from vta.faults import Fault

_DELETED = " (deleted)"
_PROCESSES = Path("/proc")


def check_log(engine: Engine) -> None:
    """`NotReady` where this process writes into a deleted log."""
    if engine.dialect.name == "sqlite" and deleted_files(Path(engine.url.database or ""), process="self"):
        raise NotReady(Fault("store.log_deleted", process=os.getpid()))


def deleted_files(database: Path, *, process: str = "[0-9]*") -> tuple[int, ...]:
    """The processes that have the database, its log or the log's index open although it was deleted.

    `process` is a pattern of names in /proc: all processes whose files this user may see when left out.
    Where the system has no /proc, as on macOS, nothing is found.
    """
    names = {f"{database.resolve()}{end}{_DELETED}" for end in ("", "-wal", "-shm")}
    return tuple(
        int(folder.resolve().name) for folder in _PROCESSES.glob(process) if names & _open_files(folder)
    )


def _open_files(process: Path) -> set[str]:
    found = set()
    with suppress(OSError):  # of another user, or ended meanwhile
        for descriptor in (process / "fd").iterdir():
            with suppress(OSError):
                found.add(os.readlink(descriptor))
    return found
