"""Notes what calls cost without making the answer wait for the store."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

from vta.errors import VtaError
from vta.ports import UsageMeter
from vta.types import ModelUsage

logger = logging.getLogger(__name__)


class BackgroundMeter:
    """`vta.ports.UsageMeter` that hands every note to another one, in order, in a thread of its own.

    A note that cannot be kept is logged: an answer never fails for its bill.
    """

    def __init__(self, meter: UsageMeter) -> None:
        self._meter = meter
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model-usage")

    def record(self, usage: ModelUsage) -> None:
        """Returns at once."""
        self._thread.submit(self._keep, usage)

    def close(self) -> None:
        """Wait until every note is kept; afterwards none is taken."""
        self._thread.shutdown(wait=True)

    def _keep(self, usage: ModelUsage) -> None:
        try:
            self._meter.record(usage)
        except VtaError as error:
            logger.warning("the usage of the language model could not be kept: %s", error.message)
