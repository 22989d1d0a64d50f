"""Finds calls that block an event loop: of the store, of the index, of other servers, and waits.

with LoopWatch() as watch:
    watch.look_at(index)
    ...  # work on the event loop of this thread, and in others
assert watch.found == {}
"""

from __future__ import annotations

import asyncio
import socket
import time
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import httpx2
from sqlalchemy import Engine, Pool, event

ROOT = Path(__file__).parents[1]
_WAITS: tuple[tuple[object, str], ...] = (
    (time, "sleep"),
    (socket, "create_connection"),
    (socket, "getaddrinfo"),
    (httpx2.Client, "send"),
)


class LoopWatch:
    """While entered, notes every such call that a thread makes while its event loop runs.

    `found` says where in our own code each kind of call was made from, innermost first.
    """

    def __init__(self) -> None:
        self.found: dict[str, set[str]] = {}
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for target, name in ((Engine, "before_cursor_execute"), (Pool, "checkout")):
            self._listen(target, name)
        for owner, name in _WAITS:
            self._wrap(owner, name, name)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def look_at(self, thing: object) -> None:
        """Note calls of the public methods of this object's class as well."""
        kind = type(thing)
        for name, value in vars(kind).items():
            if callable(value) and not name.startswith("_"):
                self._wrap(kind, name, f"{kind.__name__}.{name}")

    def report(self) -> str:
        """What was found, a line each."""
        return "\n".join(
            f"{kind}: {place}" for kind in sorted(self.found) for place in sorted(self.found[kind])
        )

    def _listen(self, target: Any, name: str) -> None:
        def note(*_: object) -> None:
            self._note("store")

        event.listen(target, name, note)
        self._stack.callback(event.remove, target, name, note)

    def _wrap(self, owner: Any, name: str, kind: str) -> None:
        usual: Callable[..., Any] = getattr(owner, name)

        @wraps(usual)
        def noted(*arguments: Any, **named: Any) -> Any:
            self._note(kind)
            return usual(*arguments, **named)

        self._stack.enter_context(patch.object(owner, name, noted))

    def _note(self, kind: str) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        frames = [
            f"{Path(frame.filename).relative_to(ROOT)}:{frame.lineno}"
            for frame in traceback.extract_stack()
            if frame.filename.startswith(str(ROOT))
            and "/tests/" not in frame.filename
            and "/.venv/" not in frame.filename
        ]
        self.found.setdefault(kind, set()).add(" < ".join(reversed(frames[-4:])))
