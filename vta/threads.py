"""The blocking steps of a coroutine: in threads beside an event loop, or all in the thread that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What the function returns: from another thread where an event loop runs in this one, else at once."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)


class MustWaitError(BaseException):
    """A coroutine that is run at once came to where it waits for another service."""


def require_loop() -> None:
    """`MustWaitError` where no event loop runs: to be called before another service is asked."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        raise MustWaitError from None


def run_at_once(work: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a coroutine returns whose only waits are `in_thread`: its steps run here, one after another.

    `MustWaitError` where it waits for anything else.
    """
    coroutine = work(*args, **kwargs)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    coroutine.close()
    raise MustWaitError


async def in_one_job(work: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a coroutine returns: run at once in a thread, or from its start beside the loop if it must wait.

    So up to where it asks another service it must have no effects.
    """
    try:
        return await in_thread(run_at_once, work, *args, **kwargs)
    except MustWaitError:
        return await work(*args, **kwargs)


async def events_of_one_job(
    make: Callable[P, AsyncGenerator[T, None]], /, *args: P.args, **kwargs: P.kwargs
) -> AsyncGenerator[T, None]:
    """The events of a generator that is run at once in a thread; a failure comes after those before it."""
    told, failure = await in_thread(run_at_once, _collect, make(*args, **kwargs))
    for event in told:
        yield event
    if failure is not None:
        raise failure


async def _collect(events: AsyncGenerator[T, None]) -> tuple[list[T], Exception | None]:
    told: list[T] = []
    try:
        async with aclosing(events):
            async for event in events:
                told.append(event)
    except Exception as failure:
        return told, failure
    return told, None
