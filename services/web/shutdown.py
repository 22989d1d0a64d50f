"""Ends work early: when a client has closed its connection, and when the server closes down."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request

from vta.errors import NotReady
from vta.faults import Fault
from vta.types.answers import Delta, DialogueEvent

CLOSING = Fault("api.closing")
_SHARE = 0.7
"""Of the grace time, after which an answer that is not ready is given up."""


class GracefulShutdown:
    """The shutdown of the server: begun once, from any thread, it ends waiting work in the grace time."""

    def __init__(self, grace_s: float) -> None:
        self.grace_s = grace_s
        self._begun = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()

    @property
    def begun(self) -> bool:
        return self._begun

    def attach(self) -> None:
        """Belong to the running event loop."""
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """The server accepts nothing new from now on."""
        self._begun = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def time_is_up(self) -> None:
        """Returns when what is not ready by now has to be given up."""
        await self._event.wait()
        await asyncio.sleep(self.grace_s * _SHARE)


T = TypeVar("T")
TOGETHER_S = 0.1
"""Seconds in which a student need not see the pieces of a text apart."""


async def while_connected(
    request: Request, work: Coroutine[Any, Any, T], closing: GracefulShutdown
) -> T | None:
    """The result of the work; None where the client left first, and the work was cancelled and has ended.

    `NotReady` where the server closes down before. The request's body must have been read.
    """
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_left(request))
    closed = asyncio.create_task(closing.time_is_up())
    try:
        await asyncio.wait((task, gone, closed), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        if closed.done():
            raise NotReady(CLOSING)
        return None
    finally:
        for each in (task, gone, closed):
            each.cancel()
        await asyncio.gather(task, gone, closed, return_exceptions=True)


async def until_closing(
    events: AsyncGenerator[DialogueEvent, None], closing: GracefulShutdown
) -> AsyncGenerator[DialogueEvent, None]:
    """The events as they come; `NotReady` where the server closes down before the last one.

    A task makes them, which is cancelled and has ended when this generator has. Pieces of the text that come
    within `TOGETHER_S`, or while the reader is busy, are joined: to render and send a piece costs more than
    to receive it.
    """
    ready: deque[DialogueEvent] = deque()
    news = asyncio.Event()

    async def make() -> None:
        async with aclosing(events):
            async for event in events:
                if ready and isinstance(event, Delta) and isinstance(last := ready[-1], Delta):
                    ready[-1] = Delta(text=last.text + event.text)
                else:
                    ready.append(event)
                news.set()

    making = asyncio.create_task(make())
    closed = asyncio.create_task(closing.time_is_up())
    for task in (making, closed):
        task.add_done_callback(lambda _: news.set())
    try:
        while not (making.done() and not ready):
            if closed.done() and not ready:
                raise NotReady(CLOSING)
            if not ready:
                news.clear()
                await news.wait()
                continue
            event = ready.popleft()
            yield event
            if isinstance(event, Delta) and not ready and not making.done():
                await asyncio.sleep(TOGETHER_S)
        making.result()
    finally:
        for task in (making, closed):
            task.cancel()
        await asyncio.gather(making, closed, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
