"""Blocking steps leave an event loop free, and where there is none they run at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

import pytest

from vta.threads import (
    MustWaitError,
    events_of_one_job,
    in_one_job,
    in_thread,
    require_loop,
    run_at_once,
)


async def steps() -> list[int]:
    return [await in_thread(threading.get_ident) for _ in range(3)]


async def test_beside_an_event_loop_a_step_runs_in_another_thread() -> None:
    """The loop's own thread does none of them."""
    assert threading.get_ident() not in await steps()


def test_without_an_event_loop_all_steps_run_in_this_thread() -> None:
    """A coroutine that waits for nothing else is done when the call returns."""
    assert run_at_once(steps) == [threading.get_ident()] * 3


def test_a_failing_step_raises() -> None:
    """What a step raises comes out as it is."""

    async def fail() -> None:
        await in_thread(int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        run_at_once(fail)


def test_what_really_waits_is_refused_and_ended() -> None:
    """A coroutine that needs the loop after all is told so, and leaves its blocks."""
    left = []

    async def wait() -> None:
        try:
            await asyncio.sleep(0)
        finally:
            left.append(True)

    with pytest.raises(MustWaitError):
        run_at_once(wait)
    assert left == [True]


async def test_what_must_wait_is_done_beside_the_loop() -> None:
    """It begins anew there, and everything else stays one job."""
    began: list[int] = []

    async def ask(waits: bool) -> str:
        began.append(threading.get_ident())
        if waits:
            require_loop()
            await asyncio.sleep(0)
        return "answer"

    assert await in_one_job(ask, False) == await in_one_job(ask, True) == "answer"
    assert [thread == threading.get_ident() for thread in began] == [False, False, True]


async def test_events_before_a_failure_come_before_it() -> None:
    """What was told stays told."""

    async def tell() -> AsyncGenerator[int, None]:
        yield 1
        yield int("x")

    events = events_of_one_job(tell)
    assert await anext(events) == 1
    with pytest.raises(ValueError, match="invalid literal"):
        await anext(events)
