"""Search indexes over QA pairs: what both the embedded one and the one in Elasticsearch do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, SourceWeight

STALE_SHARE = 0.1
"""Most removed and replaced pairs in the statistics of an index, as a share of its pairs."""


class SearchableIndex(Protocol):
    """The part of a search index that a ranker uses."""

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        """The top pairs under S = weight * BM25, exact over all pairs that a weight above 0 selects.

        BM25 (k1 1.2, b 0.75) is summed over the fields; its statistics are those of the pair's own course,
        so that pairs of two courses compare only relative to a perfect pair of each. Best first, ties by pair
        id; pairs without any term of the query are left out. `NotReady` where there is no generation yet.
        """
        ...

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        """S of those of these pairs that a weight selects: 0 without a term of the query.

        Best first, ties by pair id.
        """
        ...

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        """Those of a course in the live generation for the terms of a query: what `search` scores with."""
        ...


class PairIndex(SearchableIndex, Protocol):
    """The search index over QA pairs. It is derived: the relational store is the truth.

    Whatever is wrong with its files is `NotReady`, whatever with its server `UpstreamFailed`.
    """

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        """Build a new generation beside the live one and swap it in; on any error the live one stays.

        `stamp` says what it was made from and is given back by `stamp()`. Returns the number of pairs.
        """
        ...

    def update(
        self,
        *,
        put: Collection[QAPair],
        remove: Mapping[PairId, CourseId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        """Put pairs into the live generation and remove others, each from the course named with it.

        A pair that is put replaces the one of the same id and course.
        Every search that begins after the return sees the change, and the stamp is `stamp`. After an error or
        a crash the stamp is `since`, and doing the same again is harmless. `NotReady` where there is no
        generation, `Conflict` where its stamp is not `since`.

        New pairs rank as if the index were rebuilt with them. Removed and
        replaced pairs are not found any more, but may count in the statistics of BM25 until the engine merges
        them away; where they would be more than `STALE_SHARE` of the pairs, `LimitExceeded` asks for a
        `replace`.
        """
        ...

    def stamp(self) -> str | None:
        """The stamp of the live generation, or None where there is none yet."""
        ...
