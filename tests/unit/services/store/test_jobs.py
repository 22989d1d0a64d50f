"""The loop that does what is due: it outlives failures, and ends when it is told to stop."""

from __future__ import annotations

import asyncio

from services.store.jobs import run_worker
from vta.errors import UpstreamFailed
from vta.faults import Fault


async def test_a_worker_outlives_failures_and_sends_on_at_once_while_there_is_more(caplog) -> None:
    """A database that cannot be read, and a fault of our own, are logged; the next look comes by itself."""
    outcomes = [
        UpstreamFailed(Fault("store.failed", database="vta.db", reason="away")),
        ValueError("ours"),
        3,
        0,
    ]
    stop = asyncio.Event()

    async def send_due() -> int:
        outcome = outcomes.pop(0)
        if not outcomes:
            stop.set()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async with asyncio.timeout(5.0):
        await run_worker(send_due, stop, every_s=0.01, name="webhooks")
    assert outcomes == []
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]
    assert caplog.text.count("the job 'webhooks' failed") == 2
    assert "outbox" not in caplog.text


async def test_a_worker_ends_its_pause_when_it_is_stopped() -> None:
    """However long the pause is, and with what it has begun finished."""
    stop, begun, sent = asyncio.Event(), asyncio.Event(), []

    async def send_due() -> int:
        begun.set()
        await asyncio.sleep(0.02)
        sent.append("whole")
        return 0

    worker = asyncio.create_task(run_worker(send_due, stop, every_s=3600.0, name="notices"))
    await begun.wait()
    stop.set()
    async with asyncio.timeout(5.0):
        await worker
    assert sent == ["whole"]
