"""Counts of what was admitted, by window of time: in this process, or shared by all processes."""

from __future__ import annotations

from typing import Protocol


class SharedCounters(Protocol):
    """Counts by name that all processes share, in windows of `window_s` seconds that follow each other."""

    async def add(self, name: str, window: int, window_s: int) -> tuple[int, int] | None:
        """Count one more in a window: the count of the window before it, and that of this one.

        None means unknown: the caller counts by itself. Never raises, and never waits for long.
        """
        ...

    async def take_back(self, name: str, window: int) -> None:
        """Undo one `add` to a window, if that can be done."""
        ...

    async def state(self) -> str | None:
        """ok, or what is wrong; None where they are no service of their own."""
        ...

    async def aclose(self) -> None: ...


class LocalCounters:
    """Counts of this process. Two windows are kept, so it forgets by itself. For one event loop."""

    def __init__(self) -> None:
        self._windows: dict[int, dict[str, int]] = {}

    def add(self, name: str, window: int) -> tuple[int, int]:
        """Count one more in a window: the count of the window before it, and that of this one."""
        if window not in self._windows:
            self._windows = {w: kept for w, kept in self._windows.items() if w == window - 1}
            self._windows[window] = {}
        counts = self._windows[window]
        counts[name] = counts.get(name, 0) + 1
        return self._windows.get(window - 1, {}).get(name, 0), counts[name]

    def take_back(self, name: str, window: int) -> None:
        """Undo one `add` to a window."""
        self._windows[window][name] -= 1
