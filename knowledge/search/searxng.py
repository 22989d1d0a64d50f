"""SearXNG, a search engine that can be self-hosted; its JSON format must be switched on there."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.search.fetching import JsonFetcher
from knowledge.search.results import SearchResult, as_pairs, items
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId, Language, QAPair


class SearxngSearch:
    """`vta.ports.WebSearch` over SearXNG's `/search`."""

    def __init__(self, fetcher: JsonFetcher) -> None:
        self._fetcher = fetcher

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        form = {"q": query, "format": "json", "language": language.value, "safesearch": "2"}
        reply = await self._fetcher.post("/search", form)
        found = items(reply, "results")
        if found is None:
            raise UpstreamFailed(Fault("search.no_results"))
        return as_pairs(map(_result, found), course_id=course_id, limit=limit)


def _result(found: Mapping[str, object]) -> SearchResult:
    return SearchResult(headline=found.get("title"), text=found.get("content"), url=found.get("url"))
