"""What language models cost: noted behind the answers, summed, and priced by the settings."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from services.settings import Settings
from vta.errors import VtaError
from vta.ports import UsageMeter
from vta.types import ModelUsage

_MILLION = 1_000_000


def cost_of(usage: ModelUsage, settings: Settings) -> float | None:
    """In the currency of the prices; None where none is set."""
    if not (settings.llm_prompt_price or settings.llm_completion_price):
        return None
    price = usage.prompt_tokens * settings.llm_prompt_price
    return round((price + usage.completion_tokens * settings.llm_completion_price) / _MILLION, 6)


def by_model(usages: Iterable[ModelUsage]) -> tuple[ModelUsage, ...]:
    """The sums of each model over all courses, in order of first use."""
    sums: dict[str, ModelUsage] = {}
    for usage in usages:
        known = sums.get(usage.model, ModelUsage(course_id=None, model=usage.model, calls=0))
        sums[usage.model] = ModelUsage(
            course_id=None,
            model=usage.model,
            calls=known.calls + usage.calls,
            uncounted=known.uncounted + usage.uncounted,
            prompt_tokens=known.prompt_tokens + usage.prompt_tokens,
            completion_tokens=known.completion_tokens + usage.completion_tokens,
        )
    return tuple(sums.values())


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
