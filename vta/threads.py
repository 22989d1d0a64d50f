"""The blocking steps of a coroutine: in threads beside an event loop, or all in the thread that runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
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


def run_at_once(work: Callable[P, Coroutine[Any, Any, T]], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a coroutine returns whose only waits are `in_thread`: its steps run here, one after another.

    `RuntimeError` where it waits for anything else.
    """
    coroutine = work(*args, **kwargs)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("what is run at once may wait for nothing")
