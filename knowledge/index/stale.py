"""How far the statistics of an index may lag behind its pairs."""

from __future__ import annotations

from vta.errors import LimitExceeded
from vta.ports import STALE_SHARE


def check_stale(stale: int, pairs: int) -> None:
    """`LimitExceeded` where more removed and replaced pairs would be in the statistics than may be.

    `stale` counts them after an update, `pairs` the pairs before it.
    """
    if stale > STALE_SHARE * pairs:
        raise LimitExceeded(
            f"{stale} removed or replaced pairs would be counted beside {pairs}; build the index anew"
        )
