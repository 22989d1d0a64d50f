"""The replicas of `full_stack.py`: processes of `vta serve` that start again whenever they end."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import httpx

from benchmarks.record import ROOT

PATIENCE_S = 5.0
"""The longest that a look at a replica may take."""


class Replica:
    """One `vta serve` with its own data folder, started again whenever it ends, as systemd would."""

    def __init__(self, name: str, folder: Path, settings: Mapping[str, str], *, workers: int) -> None:
        self.name, self.home = name, folder / name
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.address = f"http://127.0.0.1:{self.port}"
        self.starts = self.crashes = 0
        """`crashes` are ends that nobody asked for, such as that of a start while PostgreSQL is away."""
        self._command = [sys.executable, "-m", "services.cli", "serve", "--port", str(self.port)]
        self._command += ["--workers", str(workers)] if workers > 1 else []
        self._environment = os.environ | settings | {"VTA_HOME": str(self.home), "PYTHONPATH": str(ROOT)}
        self._log: IO[bytes] = (folder / f"{name}.log").open("ab")
        self._asked = False
        self._closed = threading.Event()
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def end(self, sign: signal.Signals) -> None:
        """End the server and all its workers; it starts again."""
        self._asked = True
        with contextlib.suppress(ProcessLookupError):
            if sign is signal.SIGKILL:
                os.killpg(self._process.pid, sign)
            else:
                self._process.send_signal(sign)

    def is_alive(self) -> bool:
        """Whether /healthz answers."""
        return self._says_yes("/healthz")

    def is_ready(self) -> bool:
        """Whether questions can be answered."""
        return self._says_yes("/readyz")

    def wait_ready(self, seconds: float) -> float:
        """The seconds until it is ready; `TimeoutError` where it is not in time."""
        begun = time.monotonic()
        while not self.is_ready():
            if time.monotonic() - begun > seconds:
                raise TimeoutError(f"{self.name} is not ready after {seconds} s")
            time.sleep(0.1)
        return time.monotonic() - begun

    def memory_mb(self) -> int:
        """Resident memory of all its processes, pages that they share counted once for each."""
        command = ["ps", "-o", "rss=", "-g", str(self._process.pid)]
        listed = subprocess.run(command, capture_output=True, text=True).stdout
        return round(sum(map(int, listed.split())) / 1024)

    def close(self) -> None:
        self._closed.set()
        self.end(signal.SIGTERM)
        self._keeper.join(60.0)
        self._log.close()

    def _says_yes(self, path: str) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            reply = httpx.get(f"{self.address}{path}", timeout=PATIENCE_S, trust_env=False)
            return reply.status_code == 200
        return False

    def _start(self) -> subprocess.Popen[bytes]:
        self.starts += 1
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def _keep(self) -> None:
        while True:
            self._process.wait()
            with contextlib.suppress(ProcessLookupError):  # workers without their parent
                os.killpg(self._process.pid, signal.SIGKILL)
            self.crashes += not self._asked
            self._asked = False
            if self._closed.wait(1.0):
                return
            self._process = self._start()
