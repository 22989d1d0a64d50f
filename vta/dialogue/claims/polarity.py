"""Which way a clause says something: by its opposites ("useful", "useless"), turned round where denied."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vta.dialogue.claims.cues import cues

REACH = 24
"""How many characters behind a negation an opposite may begin that it denies; a quarter of it in Chinese."""

_OF_NAMES = frozenset({"without", "lack", "lacks", "instead of", "rather than", "nothing"})
"""Negations of a thing, not of what is said of it."""


def read_poles(text: str) -> tuple[str, Mapping[int, int]]:
    """A normalised clause without its opposites, and the sign of each pair of opposites that stands in it.

    1 for the first of the two or for the second denied, -1 the other way round; 0 for both.
    """
    signs: dict[int, int] = {}
    found: list[re.Match[str]] = []
    for n in cues().senses:
        pair = cues().opposites[n]
        for sign, pattern in zip((1, -1), pair, strict=True):
            for match in pattern.finditer(text):
                own = -sign if _is_denied(text, match) else sign
                signs[n] = own if signs.get(n, own) == own else 0
                found.append(match)
    for match in found:
        text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    return text, signs


def _is_denied(text: str, pole: re.Match[str]) -> bool:
    """Whether an odd number of negations stands shortly before it, apart from those within it."""
    reach = REACH if pole.group().isascii() else REACH // 4
    before = cues().negation.finditer(text, max(0, pole.start() - reach), pole.start())
    return sum(1 for found in before if found.group() not in _OF_NAMES) % 2 == 1


def is_same_way(one: Mapping[int, int], other: Mapping[int, int]) -> bool | None:
    """Whether two clauses say the same of what both say something of; None where there is no such thing."""
    shared = [one[n] * other[n] for n in one.keys() & other.keys()]
    if not any(shared):
        return None
    return sum(sign < 0 for sign in shared) % 2 == 0
