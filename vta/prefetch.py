"""Works on the next items of a sequence while one is being used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def prefetch(work: Callable[[S], T], items: Iterable[S], *, threads: int) -> Iterator[Future[T]]:
    """The result of each item in order; `threads` items are worked on at once, and no more are held.

    A caller that stops early waits for the items in work.
    """
    under_way: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as executor:
        try:
            for item in items:
                under_way.append(executor.submit(work, item))
                if len(under_way) > threads:
                    yield under_way.popleft()
            while under_way:
                yield under_way.popleft()
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
