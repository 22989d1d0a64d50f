"""The statistics of the index in Elasticsearch, as it uses them itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elasticsearch import Elasticsearch

from knowledge.index.elasticsearch_client import SAME_COPY
from knowledge.index.tokens import EMPTY, FIELDS, query_terms
from vta.types import CollectionStatistics, SearchQuery


def read_statistics(client: Elasticsearch, alias: str, query: SearchQuery) -> CollectionStatistics:
    """Those of the live generation for the terms of a query; `NotFoundError` where there is none.

    One request: the term vectors of a document that is not in the index and holds the terms of the query.
    Deleted documents count until they are merged away, as they do in every score.
    """
    terms = tuple(query_terms(query))
    document = dict.fromkeys(FIELDS, EMPTY)
    for field, token in terms:
        document[field] += f" {token}"
    fields = _term_vectors(client, alias, document)
    sums = {field: fields[field].get("field_statistics", {}) for field in FIELDS}
    documents = {field: max(int(each.get("doc_count", 0)), 0) for field, each in sums.items()}
    return CollectionStatistics(
        documents=max(documents.values()),
        average_lengths={
            field: int(sums[field]["sum_ttf"]) / count if count else 0.0 for field, count in documents.items()
        },
        frequencies={
            (field, token): int(fields[field]["terms"].get(token, {}).get("doc_freq", 0))
            for field, token in terms
        },
    )


def _term_vectors(client: Elasticsearch, alias: str, document: Mapping[str, str]) -> Mapping[str, Any]:
    answer = client.termvectors(
        index=alias,
        doc=document,
        fields=list(FIELDS),
        field_statistics=True,
        term_statistics=True,
        offsets=False,
        positions=False,
        payloads=False,
        preference=SAME_COPY,
    )
    fields: Mapping[str, Any] = answer.body["term_vectors"]
    return fields
