"""OpenAlex, an open catalogue of scholarly works: title and abstract."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.search.fetching import JsonFetcher
from knowledge.search.results import LONGEST_TEXT, SearchResult, as_pairs, items
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId, Language, QAPair

_FIELDS = "id,doi,display_name,abstract_inverted_index"
_SPARE = 2
"""Many works have no abstract, so more are asked for than are wanted."""


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
            "select": _FIELDS,
        }
        if self._api_key:
            parameters["api_key"] = self._api_key
        found = items(await self._fetcher.get("/works", parameters), "results")
        if found is None:
            raise UpstreamFailed(Fault("search.no_works"))
        return as_pairs(map(_result, found), course_id=course_id, limit=limit)


def _result(work: Mapping[str, object]) -> SearchResult:
    return SearchResult(
        headline=work.get("display_name"),
        text=abstract(work.get("abstract_inverted_index")),
        url=work.get("doi") or work.get("id"),
    )


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
