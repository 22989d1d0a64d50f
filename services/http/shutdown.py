"""The end of the server: who still works on an answer is told in time to end it in words."""

from __future__ import annotations

import asyncio

from vta.errors import NotReady
from vta.faults import Fault

CLOSING = Fault("api.closing")
_SHARE = 0.7
"""Of the grace time, after which an answer that is not ready is given up."""


class GracefulShutdown:
    """Begins once, from any thread; work that waits is told after most of the grace time."""

    def __init__(self, grace_s: float) -> None:
        self.grace_s = grace_s
        self._begun = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event = asyncio.Event()

    @property
    def begun(self) -> bool:
        return self._begun

    def attach(self) -> None:
        """Belong to the running event loop."""
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        """The server accepts nothing new from now on."""
        self._begun = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def time_is_up(self) -> None:
        """Returns when what is not ready by now has to be given up."""
        await self._event.wait()
        await asyncio.sleep(self.grace_s * _SHARE)


def given_up() -> NotReady:
    """The error of a request whose answer was not ready in time."""
    return NotReady(CLOSING)
