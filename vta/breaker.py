"""A circuit breaker: a server that failed again and again is left alone, then tried with one call."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Closed until `failures` calls in a row have failed; then open, and no call is admitted.

    After `cool_down_s` seconds one call is admitted as a probe: its success closes the breaker, its failure
    opens it for as long again. A probe that was given up tells nothing, so the next one waits as long, too.
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
        """Whether calls fail at once; a probe may be due."""
        return self._opened_s is not None

    def admits(self) -> bool:
        """Whether a call may be made now; where the breaker is open, the one that may is the probe."""
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
        """A call failed in a way that speaks against the server."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self._opened_s = self._now()
