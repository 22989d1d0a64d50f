"""Work that many ask for and one thread does."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Condition, Thread


class SharedWork:
    """Runs `work` in a thread of its own, once for all who asked for it before the run began.

    A request that comes while it runs is served by the next run. It holds no lock, and must not raise.
    """

    def __init__(self, work: Callable[[], None], *, name: str) -> None:
        self._work = work
        self._name = name
        self._changed = Condition()
        self._asked = self._done = 0
        self._begun_s: float | None = None
        self._thread: Thread | None = None
        self._closed = False

    def ask(self) -> int:
        """See to a run that begins after this call; returns the number to wait for."""
        with self._changed:
            self._asked += 1
            if self._thread is None and not self._closed:
                self._thread = Thread(target=self._run_all, name=self._name, daemon=True)
                self._thread.start()
            return self._asked

    def wait(self, number: int, *, patience_s: float | None = None) -> bool:
        """Wait until that run has ended, or until the one under way has taken `patience_s` seconds.

        Returns whether it has ended.
        """
        with self._changed:
            spent_s = time.monotonic() - self._begun_s if self._begun_s is not None else 0.0
            left_s = None if patience_s is None else max(patience_s - spent_s, 0.0)
            self._changed.wait_for(lambda: self._done >= number or self._closed, left_s)
            return self._done >= number

    def settle(self) -> None:
        """Wait until nothing runs and nothing is asked for."""
        with self._changed:
            self._changed.wait_for(lambda: self._thread is None)

    def close(self, patience_s: float) -> None:
        """Begin no run any more, and wait for the one under way."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._thread is None, patience_s)

    def _run_all(self) -> None:
        while True:
            with self._changed:
                if self._closed or self._done >= self._asked:
                    self._thread = self._begun_s = None
                    self._changed.notify_all()
                    return
                number, self._begun_s = self._asked, time.monotonic()
            self._work()
            with self._changed:
                self._done, self._begun_s = number, None
                self._changed.notify_all()
