"""A circuit breaker: no calls to a server that failed repeatedly, then one probe."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Closed until `failures` calls in a row have failed; then open, and no call is admitted.

    After `cool_down_s` seconds one call is admitted as a probe: its success closes the breaker, its failure
    opens it for as long again. A probe without an outcome counts as neither, and the next one waits as long.
    `now` gives seconds that never run backwards. Safe to share between threads.
    """

    def __init__(
        self, *, failures: int = 5, cool_down_s: float = 30.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = failures
        self._cool_down_s = cool_down_s
        self._now = now
        self._lock = Lock()
        self._failures = 0
        self._opened_s: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether calls are refused; a probe may be due."""
        return self._opened_s is not None

    def admits(self) -> bool:
        """Whether a call may be made now; an open breaker admits only the probe."""
        with self._lock:
            if self._opened_s is None:
                return True
            if self._now() - self._opened_s < self._cool_down_s:
                return False
            self._opened_s = self._now()
            return True

    def succeeded(self) -> None:
        """A call was answered."""
        with self._lock:
            self._failures = 0
            self._opened_s = None

    def failed(self) -> None:
        """A call failed by a fault of the server."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._opened_s = self._now()
