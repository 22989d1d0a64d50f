"""Several questions under way at once."""

from __future__ import annotations

import asyncio

from lab.evaluation.asking import at_once


async def test_results_keep_their_order_and_no_more_run_than_may():
    """The first call ends last, and is still the first."""
    running, most_seen = 0, 0

    async def call(n: int) -> int:
        nonlocal running, most_seen
        running += 1
        most_seen = max(most_seen, running)
        await asyncio.sleep(0.01 * (5 - n))
        running -= 1
        return n

    assert await at_once(map(call, range(5)), most=2) == [0, 1, 2, 3, 4]
    assert most_seen == 2
