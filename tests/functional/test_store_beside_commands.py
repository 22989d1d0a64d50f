"""Commands that come and go beside a server leave its log alone: what it acknowledged survives a kill.

POSIX drops all locks of a process on a file when the process closes any descriptor of it
(sqlite.org/howtocorrupt.html, 2.2). A server without its lock loses its log to the next command that ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest
from worker_server import WorkerServer, until, worker_server

from services.settings import Settings
from services.store.engine import deleted_files
from services.wiring import build_platform
from vta.types.courses import CourseId

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are not seen: no /proc"),
]
COURSE = "stacks-en"
FAQ = f"/v1/courses/{COURSE}/faq"
COMMANDS = (
    ("doctor",),
    ("people", "add", "ann@uni.example", "--name", "Ann"),
    ("course", "key", COURSE, "--role", "instructor"),
    ("ingest", COURSE, "notes"),
    ("backup", "store.zip"),
)
AT_ONCE = 12


def write_at_once(server: WorkerServer, key: dict[str, str], group: str) -> set[str]:
    """The questions of entries that were acknowledged, from so many clients that each worker needs more
    connections to the store than one."""

    def write(number: int) -> str:
        question = f"Where does group {group} {number} meet?"
        with httpx.Client(base_url=server.address, trust_env=False, timeout=60.0) as client:
            draft = {"question": question, "answer": f"In room {number}."}
            assert client.post(FAQ, json=draft, headers=key).status_code == 201
        return question

    with ThreadPoolExecutor(AT_ONCE) as clients:
        return set(clients.map(write, range(AT_ONCE)))


def run_beside(home: Path, *arguments: str) -> None:
    """One command to its end, as a process of its own over the same data folder."""
    command = [sys.executable, "-m", "services.cli", *arguments, "--home", str(home)]
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=home.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_acknowledged_is_lost_beside_other_commands(
    home: Path, key: dict[str, str], workers: int
) -> None:
    """Each command ends between writes; the server is killed; the store has every entry, and no process
    wrote into a deleted log meanwhile."""
    (home.parent / "notes").mkdir()
    (home.parent / "notes" / "heaps.md").write_text("# Heaps\n\nA heap is a tree in order.\n")
    with worker_server(home, workers=workers) as server:
        if workers > 1:
            server.until_all_serve(workers)
        acknowledged = write_at_once(server, key, "before")
        for command in COMMANDS:
            run_beside(home, *command)
            assert deleted_files(home / "vta.db") == ()
            acknowledged |= write_at_once(server, key, command[0])
        processes = [server.running.pid, *server.workers]
        for process in processes:
            os.kill(process, signal.SIGKILL)
        for process in processes[1:]:
            until(partial(is_gone, process))
        server.running.wait()
    platform = build_platform(Settings(home=home))
    stored = {entry.draft.question for entry in platform.stores.faq.entries(CourseId(COURSE))}
    platform.close()
    assert acknowledged <= stored
