"""The statistics of the embedded index, as tantivy uses them itself."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tantivy import Query, Searcher

from knowledge.index.embedded_documents import SCHEMA, first_tokens
from knowledge.index.tokens import FIELDS, query_terms
from vta.types import CollectionStatistics, SearchQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The statistics behind the scores of one commit of the index, for any query.

    Deleted documents count until they are merged away, in these as in the frequencies of terms.
    """

    documents: int
    average_lengths: dict[str, float]
    """Tokens by field; 0 where there is no pair."""


NO_TOTALS = Totals(documents=0, average_lengths=dict.fromkeys(FIELDS, 0.0))


def read_totals(searcher: Searcher) -> Totals:
    """tantivy reports them only when it explains a score, so one is explained in each field of some pair."""
    for _, address in searcher.search(Query.all_query(), limit=1, count=False).hits:
        told = {}
        for field, token in first_tokens(searcher, address).items():
            query = Query.term_query(SCHEMA, field, token, index_option="freq")
            told[field] = _descriptions(json.loads(query.explain(searcher, address).to_json()))
        return Totals(
            documents=max(int(each["N, total number of docs"]) for each in told.values()),
            average_lengths={field: each["avgdl, average length of field"] for field, each in told.items()},
        )
    return NO_TOTALS


def read_statistics(searcher: Searcher, totals: Totals, query: SearchQuery) -> CollectionStatistics:
    """Those for the terms of a query."""
    return CollectionStatistics(
        documents=totals.documents,
        average_lengths=totals.average_lengths,
        frequencies={(field, token): searcher.doc_freq(field, token) for field, token in query_terms(query)},
    )


def no_statistics(query: SearchQuery) -> CollectionStatistics:
    """Those of a course without pairs."""
    return CollectionStatistics(
        documents=NO_TOTALS.documents,
        average_lengths=NO_TOTALS.average_lengths,
        frequencies=dict.fromkeys(query_terms(query), 0),
    )


def _descriptions(explanation: dict[str, object]) -> dict[str, float]:
    """Every value of an explanation by its description."""
    found: dict[str, float] = {}
    parts = [explanation]
    while parts:
        part = parts.pop()
        found[str(part["description"])] = float(str(part["value"]))
        details = part.get("details", [])
        if isinstance(details, list):
            parts.extend(details)
    return found
