"""The run of a question's path: plain code in a thread, up to each call of another service.

A path is a generator of events. For a language model or a search engine it yields an `Await`, which the event
loop waits for; the path continues in a thread with the reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

from vta.types.answers import DialogueEvent

T = TypeVar("T")
E = TypeVar("E")


class Await(Generic[T]):
    """A call of another service; the path that yields it continues once `reply` is set."""

    reply: T

    def __init__(self, call: Callable[[], Awaitable[T]]) -> None:
        self._call = call

    async def ask(self) -> None:
        """Wait for the reply."""
        self.reply = await self._call()


class AwaitStream(Generic[T]):
    """A call of a service that streams: `call` gives events and, last, the reply."""

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


AnyAwait = Await[Any] | AwaitStream[Any]
Path = Generator[E | AnyAwait, None, None]


async def follow(path: Path[E]) -> AsyncGenerator[E | DialogueEvent, None]:
    """The events of a path. All of it up to a call of another service, or to its end, is one job of a thread.

    A failure is raised after the events before it. A caller that leaves early lets the current job end.
    """
    while True:
        events, call, failure = await asyncio.to_thread(lambda: _advance(path))
        for event in events:
            yield event
        if failure is not None:
            raise failure
        match call:
            case None:
                return
            case Await():
                await call.ask()
            case AwaitStream():
                async with aclosing(call.events()) as streamed:
                    async for each in streamed:
                        yield each


def _advance(path: Path[E]) -> tuple[list[E], AnyAwait | None, Exception | None]:
    """The events up to the next call of another service, to the end, or to a failure."""
    events: list[E] = []
    try:
        for event in path:
            if isinstance(event, Await | AwaitStream):
                return events, event, None
            events.append(event)
    except Exception as failure:
        return events, None, failure
    return events, None, None
