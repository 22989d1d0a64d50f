"""The statistics of the embedded index, as tantivy uses them itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import tantivy
from tantivy import Query

from knowledge.index.payload import pair_from_json
from knowledge.index.tokens import FIELDS, query_terms, token_fields
from vta.text import Analyser
from vta.types import CollectionStatistics, SearchQuery

_TERMS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The statistics behind the scores of one commit of the index, for any query.

    Deleted documents count until they are merged away, in these as in the frequencies of terms.
    """

    documents: int
    average_lengths: dict[str, float]
    asked: dict[str, str]
    """The term of each field by which they were read."""


def read_totals(
    index: tantivy.Index, searcher: tantivy.Searcher, before: Mapping[str, str] = MappingProxyType({})
) -> Totals:
    """The number of documents, and the average number of tokens of each field, 0 where it has none.

    tantivy reports them only when it explains a score, so one of some term of each field is explained: the
    one asked for `before`, or one of some pair; where that is not there, one of all terms, which takes long.
    """
    near = before or _terms_of_a_pair(searcher)
    read = {field: _explained(index, searcher, field, near.get(field)) for field in FIELDS}
    return Totals(
        documents=max(documents for documents, _, _ in read.values()),
        average_lengths={field: average for field, (_, average, _) in read.items()},
        asked={field: token for field, (_, _, token) in read.items()},
    )


def read_statistics(searcher: tantivy.Searcher, totals: Totals, query: SearchQuery) -> CollectionStatistics:
    """Those for the terms of a query."""
    return CollectionStatistics(
        documents=totals.documents,
        average_lengths=totals.average_lengths,
        frequencies={(field, token): searcher.doc_freq(field, token) for field, token in query_terms(query)},
    )


def no_statistics(query: SearchQuery) -> CollectionStatistics:
    """Those of a course without pairs."""
    return CollectionStatistics(
        documents=0,
        average_lengths=dict.fromkeys(FIELDS, 0.0),
        frequencies=dict.fromkeys(query_terms(query), 0),
    )


def _terms_of_a_pair(searcher: tantivy.Searcher) -> dict[str, str]:
    """A term of each field of a pair that is not deleted, most likely: as an analyser without the concepts
    has them; empty where there is no pair."""
    for _, address in searcher.search(Query.all_query(), limit=1, count=False).hits:
        pair = pair_from_json(bytes(searcher.doc(address).get_first("pair")).decode())
        return {field: tokens[0] for field, tokens in token_fields(pair, Analyser()).items()}
    return {}


def _explained(
    index: tantivy.Index, searcher: tantivy.Searcher, field: str, before: str | None
) -> tuple[int, float, str]:
    """Documents, average length and the term by which they were read, one of a document not deleted."""
    for token in _tokens(searcher, field, before):
        query = Query.term_query(index.schema, field, token, index_option="freq")
        for _, address in searcher.search(query, limit=1, count=False).hits:
            said = _descriptions(json.loads(query.explain(searcher, address).to_json()))
            return int(said["N, total number of docs"]), said["avgdl, average length of field"], token
    return 0, 0.0, ""


def _tokens(searcher: tantivy.Searcher, field: str, first: str | None) -> Iterator[str]:
    """Every term of a field, and before them the one named.

    tantivy lists the most frequent first, which take longest to search, so each batch is taken from its
    end.
    """
    if first:
        yield first
    limit, seen = _TERMS_AT_ONCE, 0
    while True:
        terms = searcher.terms_with_prefix(field, "", limit=limit)
        yield from (token for token, _ in reversed(terms[seen:]))
        if len(terms) < limit:
            return
        limit, seen = limit * 16, len(terms)


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
