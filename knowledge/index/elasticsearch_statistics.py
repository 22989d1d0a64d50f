"""The statistics of the index in Elasticsearch, as it uses them itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elasticsearch import Elasticsearch

from knowledge.index.elasticsearch_client import SAME_COPY
from knowledge.index.elasticsearch_mapping import field_of
from knowledge.index.tokens import EMPTY, FIELDS, query_terms
from vta.types import CollectionStatistics, CourseId, SearchQuery


def read_statistics(
    client: Elasticsearch, alias: str, query: SearchQuery, course_id: CourseId
) -> CollectionStatistics:
    """Those of a course in the live generation for the terms of a query; `NotFoundError` where there is none.

    One request: the term vectors of a document that is not in the index and holds the terms of the query.
    Deleted documents count until they are merged away, as they do in every score.
    """
    terms = tuple(query_terms(query))
    document = dict.fromkeys(FIELDS, EMPTY)
    for field, token in terms:
        document[field] += f" {token}"
    named = {field_of(field, course_id): text for field, text in document.items()}
    found = _term_vectors(client, alias, named)
    fields = {field: found.get(field_of(field, course_id), {}) for field in FIELDS}
    sums = {field: each.get("field_statistics", {}) for field, each in fields.items()}
    documents = {field: max(int(each.get("doc_count", 0)), 0) for field, each in sums.items()}
    return CollectionStatistics(
        documents=max(documents.values()),
        average_lengths={
            field: int(sums[field]["sum_ttf"]) / count if count else 0.0 for field, count in documents.items()
        },
        frequencies={
            (field, token): int(fields[field].get("terms", {}).get(token, {}).get("doc_freq", 0))
            for field, token in terms
        },
    )


def _term_vectors(client: Elasticsearch, alias: str, document: Mapping[str, str]) -> Mapping[str, Any]:
    answer = client.termvectors(
        index=alias,
        doc=document,
        fields=list(document),
        field_statistics=True,
        term_statistics=True,
        offsets=False,
        positions=False,
        payloads=False,
        preference=SAME_COPY,
    )
    fields: Mapping[str, Any] = answer.body["term_vectors"]
    return fields
