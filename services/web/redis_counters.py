"""Counts in Redis, for limits that several processes share. Losing Redis never fails or delays a request."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

TIMEOUT_S = 0.25
"""Seconds to wait for Redis."""
LEFT_ALONE_S = 5.0
"""Seconds for which Redis is not asked after it failed."""
_PREFIX = "vta:limit"
_FAILURES = (RedisError, OSError, RuntimeError)
"""uvloop raises RuntimeError where a connection was closed before a write."""

_log = logging.getLogger(__name__)


class RedisCounters:
    """The counts of `FileCounters`, in Redis; a failure is an unknown count, never zero."""

    def __init__(self, url: str, *, now: Callable[[], float] = time.monotonic) -> None:
        """`now` gives seconds that never run backwards. Raises ValueError for a URL that is none of Redis."""
        self._redis = Redis.from_url(
            url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S, retry=Retry(NoBackoff(), 0)
        )
        self._now = now
        self._failed_at: float | None = None

    async def add(self, name: str, window: int, window_s: int) -> tuple[int, int] | None:
        """See `FileCounters`."""
        if self._failed_at is not None and self._now() - self._failed_at < LEFT_ALONE_S:
            return None
        try:
            async with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.get(f"{_PREFIX}:{name}:{window - 1}")
                pipeline.incr(f"{_PREFIX}:{name}:{window}")
                pipeline.expire(f"{_PREFIX}:{name}:{window}", 2 * window_s)
                before, within, _ = await pipeline.execute()
        except _FAILURES as failure:
            self._failed(failure)
            return None
        self._failed_at = None
        return int(before or 0), int(within)

    async def take_back(self, name: str, window: int) -> None:
        """See `FileCounters`."""
        try:
            await self._redis.decr(f"{_PREFIX}:{name}:{window}")
        except _FAILURES as failure:
            self._failed(failure)

    async def state(self) -> str:
        """See `FileCounters`."""
        try:
            await self._redis.ping()
        except _FAILURES as failure:
            return f"failed ({type(failure).__name__}); limits are counted in this process"
        return "ok"

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _failed(self, failure: Exception) -> None:
        if self._failed_at is None:
            _log.warning("Redis failed, so limits are counted in this process: %s", type(failure).__name__)
        self._failed_at = self._now()
