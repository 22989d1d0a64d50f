"""A path is plain code in threads; only what is outside is awaited on the event loop."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator

import pytest

from vta.dialogue.awaiting import Await, AwaitStream, Path, follow
from vta.types.answers import Delta, DialogueEvent


async def thread() -> int:
    return threading.get_ident()


async def test_a_path_runs_in_other_threads_and_what_is_outside_on_the_loop() -> None:
    def path() -> Path[int]:
        yield threading.get_ident()
        asking = Await(thread)
        yield asking
        yield asking.reply
        yield threading.get_ident()

    before, outside, after = [each async for each in follow(path())]
    here = threading.get_ident()
    assert outside == here
    assert here not in (before, after)


async def test_up_to_what_is_outside_it_is_one_job() -> None:
    """Nothing is given out before, so that no job is begun anew for it."""
    seen: list[int] = []

    def path() -> Path[int]:
        for n in range(3):
            seen.append(n)
            yield n

    events = follow(path())
    assert await anext(events) == 0
    assert seen == [0, 1, 2]
    await events.aclose()


async def test_a_stream_tells_its_events_and_replies_last() -> None:
    async def write() -> AsyncGenerator[DialogueEvent | str, None]:
        yield Delta(text="a")
        yield "whole"

    def path() -> Path[str]:
        writing = AwaitStream(write)
        yield writing
        yield writing.reply

    assert [each async for each in follow(path())] == [Delta(text="a"), "whole"]


async def test_events_before_a_failure_come_before_it() -> None:
    def path() -> Path[int]:
        yield 1
        yield int("x")

    events = follow(path())
    assert await anext(events) == 1
    with pytest.raises(ValueError, match="invalid literal"):
        await anext(events)
