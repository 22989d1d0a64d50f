"""`vta serve --workers` as a process of its own, and clients that talk to one of its workers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import httpx

T = TypeVar("T")
LONGEST_S = 120.0


@dataclass
class WorkerServer:
    """A running server; `written` is what it printed."""

    address: str
    running: subprocess.Popen[str]
    written: list[str]
    reader: threading.Thread

    @property
    def workers(self) -> list[int]:
        """The processes that serve, by when they began; helpers of Python are left out."""
        children = Path(f"/proc/{self.running.pid}/task/{self.running.pid}/children").read_text().split()
        return [int(each) for each in children if b"spawn_main" in _command(int(each))]

    def until_all_serve(self, count: int) -> list[int]:
        """The workers, once so many answer."""
        until(lambda: len(self.workers) == count)
        found = self.workers
        for worker in found:
            with self.client_of(worker):
                pass
        return found

    @contextmanager
    def client_of(self, worker: int) -> Iterator[httpx.Client]:
        """A client whose connection this worker took: the others stand still while it is made.

        A connection that waits for one of them is given up for another.
        """
        others = [each for each in self.workers if each != worker]

        def answers() -> bool:
            with suppress(httpx.TransportError):
                return client.get("/healthz", timeout=1.0).status_code == 200
            return False

        with httpx.Client(base_url=self.address, trust_env=False, timeout=LONGEST_S) as client:
            for each in others:
                os.kill(each, signal.SIGSTOP)
            try:
                until(answers)
            finally:
                for each in others:
                    os.kill(each, signal.SIGCONT)
            yield client

    def stop(self) -> int:
        """End it as an operator does; its exit status."""
        self.running.send_signal(signal.SIGTERM)
        return self.running.wait(LONGEST_S)

    def ended(self) -> str:
        """All that it printed, once it has ended."""
        self.running.wait(LONGEST_S)
        self.reader.join(LONGEST_S)
        return "".join(self.written)


@contextmanager
def worker_server(home: Path, *arguments: str, workers: int = 2, **settings: str) -> Iterator[WorkerServer]:
    """Serve a data folder on a free port; killed at the end, with its workers."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("VTA_")}
    environment = {**clean, **{f"VTA_{name.upper()}": value for name, value in settings.items()}}
    command = [sys.executable, "-m", "services.cli", "serve", "--port", "0", "--home", str(home)]
    with subprocess.Popen(
        [*command, "--workers", str(workers), *arguments],
        env={**environment, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        assert running.stdout is not None
        first = running.stdout.readline()
        found = re.search(r"http://[\d.:]+", first)
        assert found is not None, first + running.stdout.read()
        written = [first]
        reader = threading.Thread(target=written.extend, args=(running.stdout,), daemon=True)
        reader.start()
        server = WorkerServer(found[0], running, written, reader)
        try:
            yield server
        finally:
            left = server.workers if running.poll() is None else []
            running.kill()
            for each in left:
                until(lambda worker=each: not Path(f"/proc/{worker}").exists())
            reader.join(LONGEST_S)


def until(look: Callable[[], T | None]) -> T:
    """What `look` finds; it is asked again while it finds nothing."""
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
