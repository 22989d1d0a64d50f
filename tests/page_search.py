"""The honest small `WebSearch`: pages in memory, found by the words they share with the query."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from plain_faults import plain

from vta.errors import UpstreamFailed
from vta.languages import Language
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair, Source


class PageSearch:
    """`vta.ports.WebSearch` over (headline, text, url); keeps the queries that it was asked, in order."""

    def __init__(self, pages: Sequence[tuple[str, str, str]] = (), *, failure: str | None = None) -> None:
        self._pages = tuple(pages)
        self._failure = failure
        self.asked: list[str] = []

    async def search(
        self, query: str, *, course_id: CourseId, language: Language, limit: int
    ) -> tuple[QAPair, ...]:
        self.asked.append(query)
        if self._failure is not None:
            raise UpstreamFailed(plain(self._failure))
        words = query.lower().split()
        shared = [(sum(w in f"{p[0]} {p[1]}".lower() for w in words), p) for p in self._pages]
        best = sorted((each for each in shared if each[0]), key=lambda each: -each[0])
        return tuple(
            QAPair(
                id=PairId(hashlib.sha256(f"{course_id}\0{url}".encode()).hexdigest()),
                course_id=course_id,
                source=Source.SEARCH,
                question=headline,
                answer=text,
                url=url,
            )
            for _, (headline, text, url) in best[: max(limit, 0)]
        )
