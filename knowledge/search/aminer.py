"""AMiner, a catalogue of scholarly works that knows Chinese ones well: title and the abstract's beginning.

The free part of its open platform: `GET /api/paper/search` finds ids by words of the title, and
`POST /api/paper/info` tells the papers of these ids.
"""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.search.fetching import JsonFetcher
from knowledge.search.results import SearchResult, as_pairs, items
from vta.errors import UpstreamFailed
from vta.faults import Fault
from vta.types import CourseId, Language, QAPair

_MOST = 20
_PAPER = "https://www.aminer.cn/pub/"


class AminerSearch:
    """`vta.ports.WebSearch` over AMiner. Works without an abstract are left out.

    `fetcher` has the key as `Authorization`. It is asked twice in a search.
    """

    def __init__(self, fetcher: JsonFetcher) -> None:
        self._fetcher = fetcher

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        parameters = {"page": "1", "size": str(_MOST), "title": query}
        found = _read(await self._fetcher.get("/api/paper/search", parameters))
        ids = [identity for each in found if isinstance(identity := each.get("id"), str) and identity]
        if not ids:
            return ()
        papers = _read(await self._fetcher.post_json("/api/paper/info", {"ids": ids}))
        by_id = {paper.get("id"): paper for paper in papers}
        ordered = [by_id[identity] for identity in ids if identity in by_id]
        return as_pairs((_result(paper, language) for paper in ordered), course_id=course_id, limit=limit)


def _read(reply: object) -> list[Mapping[str, object]]:
    """The papers of a reply, which may say that there are none."""
    if isinstance(reply, dict) and reply.get("success") is True and reply.get("data") is None:
        return []
    found = items(reply, "data")
    if found is None:
        raise UpstreamFailed(Fault("search.no_papers"))
    return found


def _result(paper: Mapping[str, object], language: Language) -> SearchResult:
    chinese = paper.get("title_zh") if language is Language.ZH else None
    return SearchResult(
        headline=chinese or paper.get("title") or paper.get("title_zh"),
        text=paper.get("abstract_slice"),
        url=f"{_PAPER}{paper.get('id')}",
    )
