"""The events of an answer on their way out: in order, pieces of text together, and never after the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from services.web.shutdown import GracefulShutdown, until_closing
from vta.errors import NotReady
from vta.types.answers import Delta, DialogueEvent, TraceStep

STEP = TraceStep(stage="answer", decision="direct", ms=1.0)


async def told(*events: DialogueEvent) -> AsyncGenerator[DialogueEvent, None]:
    for event in events:
        yield event


async def test_pieces_that_come_together_are_told_as_one() -> None:
    """Nothing is lost, and what stands between two pieces keeps them apart."""
    pieces = [Delta(text=each) for each in "栈和队列"]
    found = [each async for each in until_closing(told(*pieces, STEP, *pieces), GracefulShutdown(1.0))]
    assert found == [Delta(text="栈和队列"), STEP, Delta(text="栈和队列")]


async def test_a_piece_that_comes_alone_is_told_before_the_next_one() -> None:
    """Nobody waits for a text that goes on later."""
    may_go_on = asyncio.Event()

    async def slowly() -> AsyncGenerator[DialogueEvent, None]:
        yield Delta(text="a")
        await may_go_on.wait()
        yield Delta(text="b")

    events = until_closing(slowly(), GracefulShutdown(1.0))
    assert await anext(events) == Delta(text="a")
    may_go_on.set()
    assert [each async for each in events] == [Delta(text="b")]


async def test_a_failure_comes_after_what_was_told_before_it() -> None:
    """The stream ends with it."""

    async def fail() -> AsyncGenerator[DialogueEvent, None]:
        yield STEP
        raise ValueError("broken")

    events = until_closing(fail(), GracefulShutdown(1.0))
    assert await anext(events) == STEP
    with pytest.raises(ValueError, match="broken"):
        await anext(events)


async def test_an_answer_that_is_not_ready_is_given_up_when_the_server_closes_down() -> None:
    """Its maker is cancelled and has ended by then."""
    ended = []

    async def hang() -> AsyncGenerator[DialogueEvent, None]:
        try:
            yield STEP
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    closing = GracefulShutdown(0.0)
    closing.attach()
    events = until_closing(hang(), closing)
    assert await anext(events) == STEP
    closing.begin()
    with pytest.raises(NotReady):
        await anext(events)
    assert ended == [True]
