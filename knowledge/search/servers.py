"""The servers that are searched: SearXNG, and OpenAlex, the catalogue of scholarly works.

SearXNG can be self-hosted and must have its JSON format switched on.
"""

from __future__ import annotations

import hashlib
import html
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal

import nh3

from knowledge.search.addresses import is_public_url
from knowledge.search.http_client import LARGEST_REPLY, Cause, HttpClient, Unreachable
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.languages import Language
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, Source

LONGEST_HEADLINE, LONGEST_TEXT = 300, 1000
"""Characters."""
_SPARE = 2
"""Many works of OpenAlex have no abstract, so more are asked for than are wanted."""


class SearxngSearch:
    """`vta.ports.WebSearch` over SearXNG's `/search`."""

    def __init__(self, fetcher: JsonFetcher) -> None:
        self._fetcher = fetcher

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        form = {"q": query, "format": "json", "language": language.value, "safesearch": "2"}
        reply = await self._fetcher.fetch("POST", "/search", form=form)
        found = _items(reply, missing=Fault("search.no_results"))
        results = ((page.get("title"), page.get("content"), page.get("url")) for page in found)
        return _as_pairs(results, course_id=course_id, limit=limit)


class OpenAlexSearch:
    """`vta.ports.WebSearch` over OpenAlex's `/works`. Works without an abstract are left out."""

    def __init__(self, fetcher: JsonFetcher, *, api_key: str = "") -> None:
        self._fetcher = fetcher
        self._api_key = api_key

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        parameters = {
            "search": query,
            "filter": f"language:{language.value}",
            "per-page": str(min(max(limit, 1) * _SPARE, 100)),
            "select": "id,doi,display_name,abstract_inverted_index",
        }
        if self._api_key:
            parameters["api_key"] = self._api_key
        reply = await self._fetcher.fetch("GET", "/works", parameters=parameters)
        found = _items(reply, missing=Fault("search.no_works"))
        results = (
            (
                work.get("display_name"),
                abstract(work.get("abstract_inverted_index")),
                work.get("doi") or work.get("id"),
            )
            for work in found
        )
        return _as_pairs(results, course_id=course_id, limit=limit)


def abstract(positions: object) -> str:
    """The abstract of {word: [positions]}, as far as it is shown; empty where it has another shape."""
    if not isinstance(positions, dict):
        return ""
    words: dict[int, str] = {}
    for word, places in positions.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < LONGEST_TEXT:
                words[place] = str(word)
    return " ".join(words[place] for place in sorted(words))


def _as_pairs(
    results: Iterable[tuple[object, object, object]], *, course_id: CourseId, limit: int
) -> tuple[QAPair, ...]:
    """The first `limit` usable results (headline, text, address), each address once.

    What the engine gave may be HTML, hostile or of another type. Dropped are results without headline or text
    and those whose address may not be shown.
    """
    pairs: dict[str, QAPair] = {}
    for title, content, url in results:
        if len(pairs) >= max(limit, 0):
            break
        headline, text = _plain_text(title, LONGEST_HEADLINE), _plain_text(content, LONGEST_TEXT)
        if headline and text and isinstance(url, str) and is_public_url(url):
            pairs.setdefault(url, _pair(headline, text, url, course_id))
    return tuple(pairs.values())


def _plain_text(value: object, longest: int) -> str:
    """Text without tags, scripts, control characters or half characters; empty for what is no text."""
    if not isinstance(value, str):
        return ""
    raw = value[: longest * 20].encode("utf-8", "replace").decode("utf-8")
    bare = html.unescape(nh3.clean(raw, tags=set()))
    visible = "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in bare)
    text = " ".join(visible.split())
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _items(reply: object, *, missing: Fault) -> list[Mapping[str, object]]:
    """The objects in the list of results of a reply; `UpstreamFailed` where there is no list."""
    value = reply.get("results") if isinstance(reply, dict) else None
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


class JsonFetcher:
    """Asks one server, whose address the administrator gave and which may therefore be private.

    Every failure is an `UpstreamFailed` that names the engine and never repeats the address, the query or
    what the server said.
    """

    def __init__(self, *, name: str | Fault, url: str, timeout_s: float) -> None:
        """`timeout_s` is the total of a request."""
        self._name = name
        self._url = url
        self._timeout_s = timeout_s
        self._client = HttpClient(private_addresses=True, timeout_s=timeout_s, uses_proxy=True)

    async def fetch(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        parameters: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
    ) -> object:
        """The JSON under `path`; a form, unlike parameters, stays out of the access logs on the way."""
        try:
            reply = await self._client.send(method, f"{self._url}{path}", parameters=parameters, form=form)
            value = reply.value
        except Unreachable as failure:
            raise UpstreamFailed(self._explained(failure)) from None
        return value

    def _explained(self, failure: Unreachable) -> Fault:
        match failure.cause:
            case Cause.TOO_SLOW:
                return Fault("search.no_answer", name=self._name, seconds=self._timeout_s)
            case Cause.COMPRESSED:
                return Fault("search.compressed", name=self._name)
            case Cause.TOO_LARGE:
                return Fault("search.reply_too_large", name=self._name, most=LARGEST_REPLY)
            case Cause.REDIRECT:
                return Fault("search.redirect", name=self._name, status=failure.status or 0)
            case Cause.STATUS:
                return Fault("search.status", name=self._name, status=failure.status or 0)
            case Cause.NO_JSON:
                return Fault("search.no_json", name=self._name)
            case _:
                return Fault("search.unreachable", name=self._name, reason=type(failure.__cause__).__name__)
