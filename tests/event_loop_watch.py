"""A stand-in that lets an object be used from threads alone, to find calls that hold up the event loop."""

from __future__ import annotations

import asyncio
from typing import Any


class OffTheLoop:
    """The same object; whatever is called on the thread of a running event loop is noted in `caught`."""

    def __init__(self, inner: object, name: str, caught: list[str]) -> None:
        self._inner, self._name, self._caught = inner, name, caught

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._inner, attribute)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                pass
            else:
                self._caught.append(f"{self._name}.{attribute}")
            return found(*arguments, **named)

        return call
