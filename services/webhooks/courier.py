"""Carries what waits in the outbox to the platforms, one delivery of a course after another."""

from __future__ import annotations

import asyncio
import logging

from services.storage.webhook_rows import Delivery, Outcome, Outgoing
from services.storage.webhooks import SqlWebhooks
from services.webhooks.messages import body_of, sign
from services.webhooks.sending import Sender
from vta.errors import VtaError
from vta.ports import Clock
from vta.types import CourseId

LOOKS_EVERY_S = 1.0

_log = logging.getLogger(__name__)


class Courier:
    """The deliveries of one process; others may carry from the same store, none what another carries.

    A delivery whose process died is tried again by any process once its claim has ended, under the same id.
    """

    def __init__(self, *, webhooks: SqlWebhooks, sender: Sender, clock: Clock) -> None:
        self._webhooks = webhooks
        self._sender = sender
        self._clock = clock

    @property
    def private(self) -> bool:
        """Whether it goes to addresses inside the house."""
        return self._sender.private

    async def carry(self, stop: asyncio.Event) -> None:
        """Deliver what is due until told to stop; a try that was begun is ended first."""
        while not stop.is_set():
            try:
                carried = await self.deliver_due()
            except VtaError as failure:
                _log.warning("the outbox of webhooks cannot be read: %s", failure.message)
                carried = 0
            except Exception:
                _log.exception("webhooks cannot be delivered")
                carried = 0
            if not carried:
                await _wait(stop, LOOKS_EVERY_S)

    async def deliver_due(self) -> int:
        """Try every delivery whose time has come; returns how many there were."""
        due = await asyncio.to_thread(self._webhooks.claim)
        await asyncio.gather(*(self._deliver(outgoing) for outgoing in due))
        return len(due)

    async def send_test(self, course_id: CourseId) -> Delivery:
        """Send a test at once and keep what came of it. `InvalidInput` without address or secret."""
        outgoing = await asyncio.to_thread(self._webhooks.test, course_id)
        outcome = await self._try(outgoing)
        return await asyncio.to_thread(self._webhooks.record_test, outgoing, outcome)

    async def _deliver(self, outgoing: Outgoing) -> None:
        outcome = await self._try(outgoing)
        if not outcome.is_heard:
            told = (outgoing.id, outgoing.course_id, outcome.status, outcome.reason)
            _log.warning("webhook %s of course %s: %s, %s", *told)
        await asyncio.to_thread(self._webhooks.settle, outgoing, outcome)

    async def _try(self, outgoing: Outgoing) -> Outcome:
        body = body_of(outgoing)
        return await self._sender.post(outgoing.url, body, sign(outgoing, body, self._clock.now()))


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        pass
