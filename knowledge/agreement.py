"""The vote of alike answers: where several FAQ entries ask the same, the answer that most give goes first.

This is the choice of least Bayes risk (Kumar and Byrne 2004) among equals, with the Jaccard similarity of
words as the gain; answers that share little of them are no votes for each other.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import combinations

from vta.text import jaccard

_ALIKE = 0.6


def most_agreed(answers: Sequence[Set[str]]) -> int:
    """Which of these, by its words, is most alike to the others; the first of equals, so of two."""
    agreement = [0.0] * len(answers)
    for one, other in combinations(range(len(answers)), 2):
        if (alike := jaccard(answers[one], answers[other])) >= _ALIKE:
            agreement[one] += alike
            agreement[other] += alike
    return max(range(len(answers)), key=agreement.__getitem__)
