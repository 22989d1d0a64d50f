"""What language models cost, by the prices of the settings."""

from __future__ import annotations

from collections.abc import Iterable

from services.settings import Settings
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
