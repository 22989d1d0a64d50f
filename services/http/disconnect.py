"""Stops working for a client that has closed its connection, and when the server closes down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request

from services.http.shutdown import GracefulShutdown, given_up

T = TypeVar("T")


async def while_connected(
    request: Request, work: Coroutine[Any, Any, T], closing: GracefulShutdown
) -> T | None:
    """What the work returns; None where the client left first, and the work was cancelled and has ended.

    `NotReady` where the server closes down before the work is done. The request's body must have been read.
    """
    task = asyncio.create_task(work)
    gone = asyncio.create_task(_left(request))
    closed = asyncio.create_task(closing.time_is_up())
    try:
        await asyncio.wait((task, gone, closed), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        if closed.done():
            raise given_up()
        return None
    finally:
        for each in (task, gone, closed):
            each.cancel()
        await asyncio.gather(task, gone, closed, return_exceptions=True)


async def until_closing(
    events: AsyncGenerator[T, None], closing: GracefulShutdown
) -> AsyncGenerator[T, None]:
    """The events as they come; `NotReady` where the server closes down before the last one.

    They are made in one task of their own, which is cancelled and has ended when this generator has.
    """
    ready: asyncio.Queue[T] = asyncio.Queue(maxsize=1)

    async def make() -> None:
        async with aclosing(events):
            async for event in events:
                await ready.put(event)

    making = asyncio.create_task(make())
    closed = asyncio.create_task(closing.time_is_up())
    try:
        while not (making.done() and ready.empty()):
            if not ready.empty():
                yield ready.get_nowait()
                continue
            taking = asyncio.create_task(ready.get())
            try:
                await asyncio.wait((taking, making, closed), return_when=asyncio.FIRST_COMPLETED)
                if taking.done():
                    yield taking.result()
                elif closed.done():
                    raise given_up()
            finally:
                taking.cancel()
        making.result()
    finally:
        for each in (making, closed):
            each.cancel()
        await asyncio.gather(making, closed, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
