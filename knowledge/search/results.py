"""Results of a search engine as pairs: plain text, bounded, with a link that may be shown."""

from __future__ import annotations

import hashlib
import html
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import nh3

from knowledge.search.addresses import is_public_url
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId, PairId, QAPair, Source

LONGEST_HEADLINE, LONGEST_TEXT = 300, 1000
"""Characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One result as the engine gave it; each may be HTML, hostile or of another type."""

    headline: object
    text: object
    url: object


def as_pairs(results: Iterable[SearchResult], *, course_id: CourseId, limit: int) -> tuple[QAPair, ...]:
    """The first `limit` usable results, each address once.

    Dropped are results without headline or text and those whose address may not be shown.
    """
    pairs: dict[str, QAPair] = {}
    for result in results:
        if len(pairs) >= max(limit, 0):
            break
        headline = plain_text(result.headline, LONGEST_HEADLINE)
        text = plain_text(result.text, LONGEST_TEXT)
        url = result.url
        if not (headline and text and isinstance(url, str) and is_public_url(url)):
            continue
        pairs.setdefault(url, _pair(headline, text, url, course_id))
    return tuple(pairs.values())


def plain_text(value: object, longest: int) -> str:
    """Text without tags, scripts, control characters or half characters; empty for what is no text."""
    if not isinstance(value, str):
        return ""
    raw = value[: longest * 20].encode("utf-8", "replace").decode("utf-8")
    bare = html.unescape(nh3.clean(raw, tags=set()))
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in bare)
    text = " ".join(visible.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def items(reply: object, key: str, *, missing: Fault) -> list[Mapping[str, object]]:
    """The objects in the list under `key` of a reply; `UpstreamFailed` where there is no list."""
    value = reply.get(key) if isinstance(reply, dict) else None
    if not isinstance(value, list):
        raise UpstreamFailed(missing)
    return [each for each in value if isinstance(each, dict)]


def _pair(headline: str, text: str, url: str, course_id: CourseId) -> QAPair:
    digest = hashlib.sha256("\0".join((course_id, url, headline, text)).encode()).hexdigest()
    return QAPair(
        id=PairId(f"search-{digest[:32]}"),
        course_id=course_id,
        source=Source.SEARCH,
        question=headline,
        answer=text,
        url=url,
    )
