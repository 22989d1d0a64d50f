"""What an index refuses, in the same words whatever the engine."""

from __future__ import annotations

from vta.errors import Conflict, LimitExceeded, NotReady
from vta.ports import STALE_SHARE


def no_generation() -> NotReady:
    """There is nothing to search yet."""
    return NotReady("the search index is empty; ingest course material first")


def damaged() -> NotReady:
    """The files of the embedded index cannot be read."""
    return NotReady("the search index is damaged; rebuild it")


def check_since(current: str, since: str) -> None:
    """`Conflict` where the live generation is not at the stamp that an update goes on from."""
    if current != since:
        raise Conflict(f"the search index is at {current!r}, not at {since!r}")


def check_stale(stale: int, pairs: int) -> None:
    """`LimitExceeded` where more removed and replaced pairs would be in the statistics than may be.

    `stale` counts them after an update, `pairs` the pairs before it.
    """
    if stale > STALE_SHARE * pairs:
        raise LimitExceeded(
            f"{stale} removed or replaced pairs would be counted beside {pairs}; build the index anew"
        )
