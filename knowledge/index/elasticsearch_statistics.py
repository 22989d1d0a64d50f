"""The statistics of the index in Elasticsearch, as it uses them itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elasticsearch import Elasticsearch, NotFoundError

from knowledge.bm25 import CollectionStatistics, query_terms
from knowledge.index.elasticsearch_client import SAME_COPY, translated_errors
from knowledge.index.tokens import EMPTY, FIELDS
from vta.errors import NotReady
from vta.types import SearchQuery


class ElasticsearchStatistics:
    """`knowledge.bm25.StatisticsSource` over the live generation of an `ElasticsearchIndex`.

    One request: the term vectors of a document that is not in the index and holds the terms of the query.
    """

    def __init__(self, client: Elasticsearch, *, alias: str) -> None:
        self._client = client
        self._alias = alias

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        terms = tuple(query_terms(query))
        document = dict.fromkeys(FIELDS, EMPTY)
        for field, token in terms:
            document[field] += f" {token}"
        fields = self._term_vectors(document)
        sums = {field: fields[field].get("field_statistics", {}) for field in FIELDS}
        documents = {field: max(int(each.get("doc_count", 0)), 0) for field, each in sums.items()}
        return CollectionStatistics(
            documents=max(documents.values()),
            average_lengths={
                field: int(sums[field]["sum_ttf"]) / count if count else 0.0
                for field, count in documents.items()
            },
            frequencies={
                (field, token): int(fields[field]["terms"].get(token, {}).get("doc_freq", 0))
                for field, token in terms
            },
        )

    def _term_vectors(self, document: Mapping[str, str]) -> Mapping[str, Any]:
        with translated_errors(self._client):
            try:
                answer = self._client.termvectors(
                    index=self._alias,
                    doc=document,
                    fields=list(FIELDS),
                    field_statistics=True,
                    term_statistics=True,
                    offsets=False,
                    positions=False,
                    payloads=False,
                    preference=SAME_COPY,
                )
            except NotFoundError as error:
                raise NotReady("the search index is empty; ingest course material first") from error
        fields: Mapping[str, Any] = answer.body["term_vectors"]
        return fields
