"""How many examples a property is tried on."""

from __future__ import annotations

from hypothesis import settings


def examples(most: int) -> int:
    """So many, or fewer where the profile that the tests run with allows no more."""
    return min(most, settings().max_examples)
