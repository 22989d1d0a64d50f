"""Locks by name between all processes on one PostgreSQL database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from services.storage.file_locks import LOCKED, NEXT, lock_place

if TYPE_CHECKING:
    from psycopg import AsyncConnection

T = TypeVar("T")
ANSWER_S = 2.0
"""Seconds that PostgreSQL may take to answer."""
LEFT_ALONE_S = 5.0
"""Seconds for which it is not asked after it failed."""
_UNKNOWN = object()

_log = logging.getLogger(__name__)


class AdvisoryLocks:
    """Advisory locks of PostgreSQL, all of one connection, which is opened when it is first needed.

    A statement that was begun is brought to its end, also for a caller who left meanwhile, so that what is
    held is always known.
    """

    def __init__(self, url: str, *, now: Callable[[], float] = time.monotonic) -> None:
        """`now` gives seconds that never run backwards."""
        self._url = url
        self._now = now
        self._failed_at: float | None = None
        self._one_at_a_time = asyncio.Lock()
        self._connection: AsyncConnection[Any] | None = None
        self._held: dict[str, str] = {}
        self._under_way: set[asyncio.Task[Any]] = set()

    async def try_lock(self, name: str) -> bool:
        """As the protocol says."""
        return await self._to_its_end(self._try_lock(name))

    async def unlock(self, name: str) -> None:
        """As the protocol says."""
        await self._to_its_end(self._unlock(name))

    async def aclose(self) -> None:
        async with self._one_at_a_time:
            await self._disconnect()

    async def _try_lock(self, name: str) -> bool:
        lock, after = lock_place(name), lock_place(name) + 1
        async with self._one_at_a_time:
            if self._held.get(name) == LOCKED:
                return True
            if self._held.get(name) == NEXT:
                found = await self._ask(
                    "SELECT CASE WHEN pg_try_advisory_lock(%s) THEN pg_advisory_unlock(%s) ELSE false END",
                    (lock, after),
                )
            else:
                found = await self._ask(
                    "SELECT CASE WHEN pg_try_advisory_lock(%s) THEN CASE WHEN pg_try_advisory_lock(%s) "
                    "THEN pg_advisory_unlock(%s) ELSE false END END",
                    (after, lock, after),
                )
            if found is _UNKNOWN:
                return True
            if found is not None:
                self._held[name] = LOCKED if found else NEXT
            return found is True

    async def _unlock(self, name: str) -> None:
        async with self._one_at_a_time:
            held = self._held.pop(name, None)
            if held is not None:
                await self._ask("SELECT pg_advisory_unlock(%s)", (lock_place(name) + (held == NEXT),))

    async def _ask(self, statement: str, places: tuple[int, ...]) -> object:
        """The one value that the server answers; `_UNKNOWN` where it does not, and then no lock is held."""
        if self._failed_at is not None and self._now() - self._failed_at < LEFT_ALONE_S:
            return _UNKNOWN
        try:
            async with asyncio.timeout(ANSWER_S):
                cursor = await (await self._connected()).execute(statement, places)
                row = await cursor.fetchone()
        except Exception as failure:  # psycopg's, OSError, TimeoutError
            _log.warning("no locks between processes: %s", type(failure).__name__)
            self._failed_at = self._now()
            await self._disconnect()
            return _UNKNOWN
        self._failed_at = None
        return row[0] if row else None

    async def _connected(self) -> AsyncConnection[Any]:
        if self._connection is None:
            from psycopg import AsyncConnection

            self._connection = await AsyncConnection.connect(self._url, autocommit=True)
        return self._connection

    async def _disconnect(self) -> None:
        """Every lock of this process is gone with the connection."""
        connection, self._connection, self._held = self._connection, None, {}
        if connection is not None:
            await connection.close()

    async def _to_its_end(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)
