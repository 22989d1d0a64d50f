"""The worker of each job that runs beside the requests, and the claims of those that send messages.

A process claims due messages, tries to send them and stores the result. Until a claim ends no other process
claims its messages, so the claims of a killed process are sent later.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Row, Select

from services.store.transactions import reading, write
from vta.errors import VtaError

T = TypeVar("T")

_log = logging.getLogger(__name__)


def claim(
    engine: Engine, due: Select[Any], take: Callable[[Connection, Row[Any]], T | None]
) -> tuple[T, ...]:
    """The results of `take` for the due rows, without None, in one transaction.

    `take` has to change its row so that `due` does not find it again before the claim ends. Where nothing is
    due, nothing is locked or written.
    """

    def action(connection: Connection) -> tuple[T, ...]:
        rows = connection.execute(due.with_for_update()).all()
        return tuple(taken for row in rows if (taken := take(connection, row)) is not None)

    with reading(engine) as connection:
        if connection.execute(due).first() is None:
            return ()
    return write(engine, action)


async def run_worker(
    do_due: Callable[[], Awaitable[int]], stop: asyncio.Event, *, every_s: float, name: str
) -> None:
    """Do what is due, now and until `stop` is set; a run under way is finished.

    `do_due` returns how much it tried or did. After 0, and after a failure, which is logged with the `name`
    of the job, the next run is `every_s` seconds later.
    """
    while not stop.is_set():
        count = 0
        try:
            count = await do_due()
        except VtaError as failure:
            _log.warning("the job %r failed: %s", name, failure.message)
        except Exception:
            _log.exception("the job %r failed", name)
        if not count:
            with suppress(TimeoutError):
                async with asyncio.timeout(every_s):
                    await stop.wait()
