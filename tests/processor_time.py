"""What a job costs the processor, told so that nothing else on the machine can make it dearer.

assert cheapest(lambda: check(text), enough=0.5) < 0.5
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TRIES = 5


def cheapest(job: Callable[[], object], *, enough: float = 0.0) -> float:
    """Seconds of this thread alone for the cheapest of up to five runs; none follows one below `enough`.

    A neighbour that takes the caches, or a collection of garbage, falls on some of the runs; what a text
    costs by itself falls on all of them.
    """
    least = float("inf")
    collects = gc.isenabled()
    gc.disable()
    try:
        for _ in range(TRIES):
            began = time.thread_time()
            job()
            least = min(least, time.thread_time() - began)
            if least < enough:
                break
    finally:
        if collects:
            gc.enable()
    return least
