"""The quotes that a language model claims, located in their source."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from vta.text import normalise

SHORTEST_QUOTE = 4
"""Letters. Less would be found anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something said, written or quoted, and the second at which it begins where that is known."""

    text: str
    start: float | None = None
    video: str | None = None


def find_quotes(claimed: Iterable[str], lines: Sequence[Line]) -> list[Line]:
    """The claimed quotes that occur in the lines, each once, with the second of the line they begin in.

    Only normalised letters and digits are compared: case, punctuation and line breaks may differ.
    """
    letters = [_letters(line.text) for line in lines]
    starts = list(accumulate(map(len, letters), initial=0))
    whole = "".join(letters)
    found: dict[str, Line] = {}
    for claim in claimed:
        wanted = _letters(claim)
        at = whole.find(wanted)
        if at >= 0 and len(wanted) >= SHORTEST_QUOTE:
            line = lines[bisect_right(starts, at) - 1]
            found.setdefault(wanted, replace(line, text=" ".join(claim.split())))
    return list(found.values())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text)))
