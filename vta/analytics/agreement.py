"""How far two raters agree who marked the same replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of `count` replies two raters gave the `share` (0..1) the same mark; `kappa` is at most 1.

    `kappa` is None where each rater gave all the same mark, by which chance alone would agree on all.
    """

    count: int
    share: float
    kappa: float | None


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement | None:
    """The agreement on pairs of marks; None without any.

    kappa = (observed - expected) / (1 - expected), expected by the shares of each rater's marks: Cohen
    (1960), unweighted.
    """
    if not pairs:
        return None
    observed = sum(first == second for first, second in pairs) / len(pairs)
    of_first, of_second = (Counter(marks) for marks in zip(*pairs, strict=True))
    expected = sum(of_first[mark] * of_second[mark] for mark in of_first) / len(pairs) ** 2
    kappa = None if expected == 1 else (observed - expected) / (1 - expected)
    return Agreement(count=len(pairs), share=observed, kappa=kappa)
