"""What language models cost: noted behind the answers, and summed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from services.dialogue.usage_store import SUMS
from vta.errors import VtaError
from vta.ports import UsageMeter
from vta.types.language_model import ModelUsage

T = TypeVar("T")


def total_of(usages: Sequence[ModelUsage], model: str = "") -> ModelUsage:
    """The sum over courses and models."""
    sums = {name: sum(getattr(usage, name) for usage in usages) for name in SUMS}
    return ModelUsage(course_id=None, model=model, **sums)


def by_model(usages: Sequence[ModelUsage]) -> tuple[ModelUsage, ...]:
    """The sums of each model over all courses, in order of first use."""
    models = dict.fromkeys(usage.model for usage in usages)
    return tuple(total_of([each for each in usages if each.model == model], model) for model in models)


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

    def settled(self, read: Callable[[], T]) -> T:
        """What is read once every note that was handed over is kept."""
        return self._thread.submit(read).result()

    def close(self) -> None:
        """Wait until every note is kept; afterwards none is taken."""
        self._thread.shutdown(wait=True)

    def _keep(self, usage: ModelUsage) -> None:
        try:
            self._meter.record(usage)
        except VtaError as error:
            logger.warning("the usage of the language model could not be kept: %s", error.message)
