"""Connections to PostgreSQL that wait for an answer only so long; needs the extra `postgres`."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, TypeVar

import psycopg

T = TypeVar("T")


class TimedConnection(psycopg.Connection[Any]):
    """Gives up a server that has said nothing for `limit_s`, and closes: nothing more can be said on it.

    The time-outs of libpq and of the server itself do not help where the connection stays up and no byte
    comes, as behind a network that swallows packets.
    """

    limit_s: float | None = None

    def wait(self, gen: Generator[Any, Any, T], *args: Any, **kwargs: Any) -> T:
        """As the method it overrides, which is behind every call of a connection that waits."""
        bounded = gen if self.limit_s is None else self._bounded(gen, self.limit_s)
        return super().wait(bounded, *args, **kwargs)

    def _bounded(self, gen: Generator[Any, Any, T], limit_s: float) -> Generator[Any, Any, T]:
        """The same conversation, which fails after too long a silence.

        psycopg sends what the socket is ready for, and 0 every so often where it is ready for nothing.
        """
        try:
            wanted = next(gen)
            heard_at = time.monotonic()
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready:
                    heard_at = now
                elif now - heard_at > limit_s:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"the server said nothing for {limit_s:g} s")
                wanted = gen.send(ready)
        except StopIteration as ended:
            return ended.value  # type: ignore[no-any-return]
