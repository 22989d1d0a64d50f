"""A TCP proxy before one server, which fails on demand: hangs, delays, resets or refuses.

It runs in a thread of its own, so that tests of blocking code can use it. Without TLS it may stand before any
server: PostgreSQL, Elasticsearch, Redis, a language model.

    with FaultProxy("127.0.0.1", 9200) as proxy:
        client = connect(proxy.url)
        with proxy.failing(Fault.HANG):
            ...  # connections are accepted and nothing comes back
        ...      # what was held back goes on
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")

_CHUNK = 65_536
_RESET = struct.pack("ii", 1, 0)
"""Linger for no seconds: the connection is closed by a reset."""


class Fault(StrEnum):
    """What the proxy does to connections, those that are open and those that come."""

    NONE = "none"
    HANG = "hang"
    """Connections are accepted and stay open; nothing passes, in either direction, until the fault ends."""
    DELAY = "delay"
    """Every chunk passes `seconds` late, in either direction."""
    RESET = "reset"
    """Open connections are reset, and so is every new one once it is accepted."""
    REFUSE = "refuse"
    """Open connections are reset and no new one is accepted, as where the server is not running."""


@dataclass(frozen=True, slots=True)
class _Mode:
    fault: Fault
    seconds: float


class FaultProxy:
    """A proxy at `host` and `port` before the server at `target_host` and `target_port`."""

    host = "127.0.0.1"

    def __init__(self, target_host: str, target_port: int) -> None:
        self._target = (target_host, target_port)
        self._mode = _Mode(Fault.NONE, 0.0)
        self._reserved = _bound(0)  # never listens: it keeps the port ours while connections are refused
        self.port: int = self._reserved.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fault-proxy", daemon=True)
        self.accepted = 0
        """Connections that were accepted so far."""

    @classmethod
    def before(cls, url: str) -> Self:
        """A proxy before the server of a URL that names its port."""
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        return cls(parts.hostname, parts.port)

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def instead_of(self, url: str) -> str:
        """A URL of the server, with the proxy's address in the place of the server's."""
        parts = urlsplit(url)
        user, at, _ = parts.netloc.rpartition("@")
        return parts._replace(netloc=f"{user}{at}{self.host}:{self.port}").geturl()

    def __enter__(self) -> Self:
        self._changed = asyncio.Condition()
        self._thread.start()
        self.set(Fault.NONE)
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._reserved.close()

    def set(self, fault: Fault, *, seconds: float = 0.0) -> None:
        """Fail like this from now on; it holds when the call returns. `seconds` is for `Fault.DELAY`."""
        self._run(self._set(_Mode(fault, seconds)))

    @contextlib.contextmanager
    def failing(self, fault: Fault, *, seconds: float = 0.0) -> Iterator[None]:
        """Fail like this within the block, and work again after it."""
        self.set(fault, seconds=seconds)
        try:
            yield
        finally:
            self.set(Fault.NONE)

    def _run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def _set(self, mode: _Mode) -> None:
        async with self._changed:
            self._mode = mode
            self._changed.notify_all()
        if mode.fault is Fault.REFUSE:
            await self._stop_listening()
        elif self._listener is None:
            self._listener = _bound(self.port)
            self._listener.listen(1024)
            self._accepting = asyncio.create_task(self._accept(self._listener))
        if mode.fault in (Fault.RESET, Fault.REFUSE):
            await self._reset_all()

    async def _stop(self) -> None:
        await self._stop_listening()
        await self._reset_all()

    async def _stop_listening(self) -> None:
        if self._accepting is not None and self._listener is not None:
            self._accepting.cancel()
            await asyncio.wait({self._accepting})
            self._listener.close()
            self._listener = self._accepting = None

    async def _reset_all(self) -> None:
        for each in self._open:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _accept(self, listener: socket.socket) -> None:
        while True:
            client, _ = await self._loop.sock_accept(listener)
            self.accepted += 1
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            task = asyncio.create_task(self._serve(client))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve(self, client: socket.socket) -> None:
        """Carry one connection until both sides have ended it, or one has broken it off."""
        with contextlib.ExitStack() as sockets, contextlib.suppress(OSError):
            self._keep(client, sockets)
            if self._mode.fault is Fault.RESET:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                return
            await self._until_it_may_pass()
            server = socket.socket()
            self._keep(server, sockets)
            server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await self._loop.sock_connect(server, self._target)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._pump(client, server))
                both.create_task(self._pump(server, client))

    def _keep(self, one: socket.socket, sockets: contextlib.ExitStack) -> None:
        one.setblocking(False)
        self._open.add(one)
        sockets.callback(self._open.discard, one)
        sockets.enter_context(one)

    async def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := await self._loop.sock_recv(source, _CHUNK):
                await self._until_it_may_pass()
                await self._loop.sock_sendall(sink, chunk)
            await self._until_it_may_pass()
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    async def _until_it_may_pass(self) -> None:
        if self._mode.fault is Fault.DELAY:
            await asyncio.sleep(self._mode.seconds)
        async with self._changed:
            await self._changed.wait_for(lambda: self._mode.fault is not Fault.HANG)


def _bound(port: int) -> socket.socket:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((FaultProxy.host, port))
    bound.setblocking(False)
    return bound
