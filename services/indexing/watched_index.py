"""What the ranker searches: the index, and a note where it turns out to be missing or damaged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from services.tracing import span
from vta.errors import NotReady, VtaError
from vta.ports import SearchableIndex
from vta.types import Candidate, CollectionStatistics, CourseId, PairId, SearchQuery, SourceWeight


class WatchedIndex:
    """`vta.ports.SearchableIndex` that remembers when a search found nothing to search in."""

    def __init__(self, index: SearchableIndex) -> None:
        self._index = index
        self.lost = False
        """Whether the index must be made again; its owner sets it back."""

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        with self._asked("search"):
            return self._index.search(query, weights, top)

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        with self._asked("score"):
            return self._index.score(query, weights, ids)

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        with self._asked("statistics"):
            return self._index.statistics(query, course_id)

    @contextmanager
    def _asked(self, operation: str) -> Iterator[None]:
        with span(f"index {operation}"):
            try:
                yield
            except NotReady:
                self.lost = True
                raise


class MissingIndex:
    """`vta.ports.SearchableIndex` where there is nothing that may answer: every search fails at once."""

    def __init__(self, failure: VtaError) -> None:
        self._failure = failure

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        raise self._failure.with_traceback(None)

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        raise self._failure.with_traceback(None)

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        raise self._failure.with_traceback(None)
