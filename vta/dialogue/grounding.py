"""Citations: numbers in the text bound to pairs that were retrieved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.types import Candidate, Citation, Source

_MARKER = re.compile(r"\s?\[(\d{1,3})\](?!\()")


def bind_citations(text: str, candidates: Sequence[Candidate]) -> tuple[str, tuple[Citation, ...]]:
    """The text without markers of what was not retrieved, and the citations that it really makes.

    [n] stands for the n-th candidate, counted from 1. Citations come in order of first use, so the first is
    what the text rests on first.
    """

    def keep(match: re.Match[str]) -> str:
        return match.group() if 1 <= int(match.group(1)) <= len(candidates) else ""

    kept = _MARKER.sub(keep, text)
    numbers = dict.fromkeys(int(match.group(1)) for match in _MARKER.finditer(kept))
    return kept, tuple(cite(n, candidates[n - 1]) for n in numbers)


def cite(n: int, candidate: Candidate) -> Citation:
    """The n-th source as it is shown: title, passage and place."""
    pair = candidate.pair
    return Citation(
        n=n,
        pair_id=pair.id,
        source=pair.source,
        title=pair.question,
        passage=pair.answer,
        document=pair.document,
        url=pair.url,
        locator=pair.locator,
    )


def further_reading(best: Candidate, others: Sequence[Candidate], *, limit: int = 2) -> tuple[Candidate, ...]:
    """Passages of course material to look at beside a direct answer that is not itself course material."""
    if best.pair.source is Source.MATERIAL:
        return ()
    return tuple(c for c in others if c.pair.source is Source.MATERIAL)[:limit]
