"""A load balancer before the replicas of `full_stack.py`."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Sequence
from typing import Self

from benchmarks.stack_servers import Replica

_CHUNK = 65_536
_LOOK_S = 1.0
"""Between two looks at a replica."""


class Balancer:
    """Carries each TCP connection to the replicas in turn that were alive at the last look.

    One that starts takes connections too, but lets them wait. Where none is alive it closes the connection.
    """

    def __init__(self, replicas: Sequence[Replica]) -> None:
        self._replicas = list(replicas)
        self._turn = itertools.count()
        self._alive: set[str] = {each.name for each in replicas}
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
            (self._alive.add if replica.is_alive() else self._alive.discard)(replica.name)

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
        for each in (replica for replica in order if replica.name in self._alive):
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
