"""The servers of `full_stack.py`: replicas of `vta serve` as processes, and a load balancer before them."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Self

import httpx

ROOT = Path(__file__).parents[1]
_CHUNK = 65_536
_LOOK_S = 1.0
"""Between two looks at whether a replica is ready, and the longest that one may take."""


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

    def is_ready(self) -> bool:
        """Whether /readyz says so in time."""
        with contextlib.suppress(httpx.HTTPError):
            reply = httpx.get(f"{self.address}/readyz", timeout=_LOOK_S, trust_env=False)
            return reply.status_code == 200
        return False

    def wait_ready(self, seconds: float) -> float:
        """The seconds until it is ready; `TimeoutError` where it is not in time."""
        begun = time.monotonic()
        while not self.is_ready():
            if time.monotonic() - begun > seconds:
                raise TimeoutError(f"{self.name} is not ready after {seconds} s")
            time.sleep(0.1)
        return time.monotonic() - begun

    def close(self) -> None:
        self._closed.set()
        self.end(signal.SIGTERM)
        self._keeper.join(60.0)
        self._log.close()

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


class Balancer:
    """Carries each TCP connection to the replicas in turn, those first that were ready at the last look.

    Where none is ready it tries them all, and where none takes the connection it closes it.
    """

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = list(replicas)
        self._turn = itertools.count()
        self._ready: set[str] = {each.name for each in replicas}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._closed = threading.Event()
        self._carrying: set[asyncio.Task[None] | None] = set()  # the loop itself holds its tasks weakly
        self._looks = [threading.Thread(target=self._look, args=(each,), daemon=True) for each in replicas]
        self.refused = 0
        """Connections for which there was no replica."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result()
        for each in self._looks:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def _look(self, replica: Replica) -> None:
        while not self._closed.wait(_LOOK_S):
            (self._ready.add if replica.is_ready() else self._ready.discard)(replica.name)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._carrying.add(task)
        with contextlib.closing(writer), contextlib.suppress(OSError):
            found = await self._connect()
            if found is None:
                self.refused += 1
            else:
                with contextlib.closing(found[1]):
                    await asyncio.gather(_pump(reader, found[1]), _pump(found[0], writer))
        self._carrying.discard(task)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        first = next(self._turn) % len(self._replicas)
        order = self._replicas[first:] + self._replicas[:first]
        for each in sorted(order, key=lambda replica: replica.name not in self._ready):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", each.port)
        return None


async def _pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await source.read(_CHUNK):
            sink.write(chunk)
            await sink.drain()
    with contextlib.suppress(OSError):
        sink.write_eof()
