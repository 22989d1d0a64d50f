"""How the path of a question runs: plain code in a thread, up to where it asks another service.

A path is a generator of events. Where it needs a language model or a search engine it yields an `Outside`,
which is awaited on the event loop; then the path goes on, in a thread again, with what was replied.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from vta.types.answers import DialogueEvent

T = TypeVar("T")
E = TypeVar("E")


class Outside(Generic[T]):
    """A call of another service; the path that yields it goes on once `reply` is there."""

    reply: T

    def __init__(self, call: Callable[[], Awaitable[T]]) -> None:
        self._call = call

    async def ask(self) -> None:
        """Wait for the reply."""
        self.reply = await self._call()


class OutsideStream(Generic[T]):
    """The same of a service that streams: `call` gives events as they come, and last the reply."""

    reply: T

    def __init__(self, call: Callable[[], AsyncGenerator[DialogueEvent | T, None]]) -> None:
        self._call = call

    async def events(self) -> AsyncGenerator[DialogueEvent, None]:
        """The events as they come."""
        async with aclosing(self._call()) as pieces:
            async for piece in pieces:
                if isinstance(piece, DialogueEvent):
                    yield piece
                else:
                    self.reply = piece


AnyOutside = Outside[Any] | OutsideStream[Any]
Path = Generator[E | AnyOutside, None, None]


async def follow(path: Path[E]) -> AsyncGenerator[E | DialogueEvent, None]:
    """The events of a path. All of it up to a call of another service, or to its end, is one job of a thread.

    A failure comes after the events before it. Who leaves early lets the job under way come to its end.
    """
    while True:
        told, outside, failure = await asyncio.to_thread(lambda: _advance(path))
        for event in told:
            yield event
        if failure is not None:
            raise failure
        match outside:
            case None:
                return
            case Outside():
                await outside.ask()
            case OutsideStream():
                async with aclosing(outside.events()) as events:
                    async for each in events:
                        yield each


def _advance(path: Path[E]) -> tuple[list[E], AnyOutside | None, Exception | None]:
    """The events up to the next call of another service, or to the end, or to a failure."""
    told: list[E] = []
    try:
        for event in path:
            if isinstance(event, Outside | OutsideStream):
                return told, event, None
            told.append(event)
    except Exception as failure:
        return told, None, failure
    return told, None, None
