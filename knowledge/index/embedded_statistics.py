"""The statistics of the embedded index, as it uses them itself."""

from __future__ import annotations

import json
from threading import Lock

import tantivy
from tantivy import Query

from knowledge.bm25 import CollectionStatistics, query_terms
from knowledge.index.embedded import EmbeddedIndex
from knowledge.index.tokens import FIELDS
from vta.types import SearchQuery


class EmbeddedStatistics:
    """`knowledge.bm25.StatisticsSource` over the live generation of an `EmbeddedIndex`."""

    def __init__(self, index: EmbeddedIndex) -> None:
        self._index = index
        self._lock = Lock()
        self._averages: tuple[tuple[str, int], dict[str, float]] | None = None

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        live = self._index.live()
        searcher = live.index.searcher()
        state = live.name, searcher.num_docs
        with self._lock:
            if self._averages is None or self._averages[0] != state:
                averages = {field: _average_length(live.index, searcher, field) for field in FIELDS}
                self._averages = state, averages
            averages = self._averages[1]
        return CollectionStatistics(
            documents=searcher.num_docs,
            average_lengths=averages,
            frequencies={(f, token): searcher.doc_freq(f, token) for f, token in query_terms(query)},
        )


def _average_length(index: tantivy.Index, searcher: tantivy.Searcher, field: str) -> float:
    """The average number of tokens of a field, 0 where it has none.

    tantivy tells it only when it explains a score, so one of some term of the field is explained.
    """
    terms = searcher.terms_with_prefix(field, "", limit=1)
    if not terms:
        return 0.0
    query = Query.term_query(index.schema, field, terms[0][0], index_option="freq")
    address = searcher.search(query, limit=1, count=False).hits[0][1]
    parts = [json.loads(query.explain(searcher, address).to_json())]
    while parts:
        part = parts.pop()
        if part["description"].startswith("avgdl"):
            return float(part["value"])
        parts.extend(part.get("details", ()))
    raise AssertionError("tantivy explains BM25 by the average length")
