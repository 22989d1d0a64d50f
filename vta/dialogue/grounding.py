"""Citations: numbers in the text bound to pairs that were retrieved."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.types import Candidate, Citation, Source

_MARKER = re.compile(
    r"(?P<fence>^ {0,3}(?P<ticks>`{3,}|~{3,})[\s\S]*?(?:^ {0,3}(?P=ticks)|\Z))"
    r"|(?P<code>(?<!`)(?P<tick>`+)(?!`)[\s\S]*?(?<!`)(?P=tick)(?!`))"
    r"|(?P<mathematics>\$\$[\s\S]*?\$\$|\$(?!\s)[^$\n]+(?<!\s)\$(?!\d))"
    r"|\s?\[(?P<number>\d{1,3})\](?!\()",
    re.MULTILINE,
)


def bind_citations(text: str, candidates: Sequence[Candidate]) -> tuple[str, tuple[Citation, ...]]:
    """The text without markers of what was not retrieved, and the citations that it really makes.

    [n] stands for the n-th candidate, counted from 1, except in code and mathematics, where it is an index.
    Citations come in order of first use, so the first is what the text rests on first.
    """
    numbers: dict[int, None] = {}

    def keep(match: re.Match[str]) -> str:
        marker = match["number"]
        if marker is None:
            return match.group()
        if not 1 <= int(marker) <= len(candidates):
            return ""
        numbers[int(marker)] = None
        return match.group()

    kept = _MARKER.sub(keep, text)
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
