"""Knowledge whose search can be switched off: what an index does while its server is away."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from plain_faults import plain

from vta.errors import UpstreamFailed, VtaError
from vta.ports import Knowledge, KnowledgeBase, Ranker
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course
from vta.types.pairs import Candidate, QAPair, Ranking

ALL = frozenset({"rank", "coverage", "where_taught"})
AWAY = UpstreamFailed(plain("Elasticsearch cannot be reached"))


class OutageRanker:
    """`vta.ports.Ranker`: the given one, of which the methods named in `down` raise `failure`."""

    def __init__(self, inner: Ranker, *, down: Collection[str], failure: VtaError) -> None:
        self._inner, self._down, self._failure = inner, down, failure

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        self._check("rank")
        return self._inner.rank(
            question, course=course, mentions=mentions, chit_chat=chit_chat, top=top, found=found
        )

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        self._check("where_taught")
        return self._inner.where_taught(concept, course=course)

    def _check(self, method: str) -> None:
        if method in self._down:
            raise self._failure


class SearchOutage:
    """`vta.ports.KnowledgeBase`: graph and linker are there, search is not."""

    def __init__(
        self, inner: KnowledgeBase, *, down: Collection[str] = ALL, failure: VtaError = AWAY
    ) -> None:
        self._inner, self._down, self._failure = inner, down, failure

    def current(self, course: Course | None = None) -> Knowledge:
        known = self._inner.current(course)
        ranker = OutageRanker(known.ranker, down=self._down, failure=self._failure)
        return Knowledge(graph=known.graph, linker=known.linker, ranker=ranker)
