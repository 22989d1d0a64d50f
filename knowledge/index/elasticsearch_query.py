"""Requests to Elasticsearch: S(z, q) as one search, exact and without scripts, and the statistics.

Groups of pairs of a course whose question and answer sides count alike share one query. The weight of S is a
`function_score` with one `terms` filter a distinct weight, multiplied with BM25.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from knowledge.index.elasticsearch_client import SAME_COPY
from knowledge.index.tokens import EMPTY, FIELDS, FORMAT, K1, B, boosted_terms, group, query_terms
from vta.text import Analyser
from vta.types.courses import CourseId
from vta.types.pairs import CollectionStatistics, SearchQuery, SourceWeight

Body = dict[str, object]


def search_body(
    query: SearchQuery, weights: Sequence[SourceWeight], top: int, *, among: Sequence[str] | None = None
) -> Body:
    """The top pairs by S, ties by pair id. All weights are above 0, one for each group.

    `among` are the ids of documents, where only some are looked at, with or without a term.
    """
    alike: dict[tuple[CourseId, float, float], list[SourceWeight]] = {}
    for weight in weights:
        alike.setdefault((weight.course_id, weight.question, weight.answer), []).append(weight)
    least = 1 if among is None else 0
    matching: Body = {"should": [_scored(query, each, least) for each in alike.values()]}
    if among is not None:
        matching |= {"minimum_should_match": 1, "filter": {"ids": {"values": list(among)}}}
    return {
        "size": top,
        "query": {"bool": matching},
        "sort": [{"_score": "desc"}, {"pair_id": "asc"}],
        "track_total_hits": False,
        "_source": ["pair", "group"],
    }


def _scored(query: SearchQuery, weights: Sequence[SourceWeight], least: int) -> Body:
    """The query for pairs of these groups with at least `least` of the terms, scored by weight * BM25."""
    terms = [
        {"term": {field_of(field, weights[0].course_id): {"value": token, "boost": boost}}}
        for field, token, boost in boosted_terms(query, weights[0])
    ]
    groups: dict[float, list[str]] = {}
    for weight in weights:
        groups.setdefault(weight.weight, []).append(group(weight.source, weight.course_id))
    every = [name for names in groups.values() for name in names]
    matching: Body = {
        "bool": {
            "should": terms,
            "minimum_should_match": least,
            "filter": {"terms": {"group": every}},
        }
    }
    functions = [
        {"filter": {"terms": {"group": names}}, "weight": weight} for weight, names in groups.items()
    ]
    return {
        "function_score": {
            "query": matching,
            "functions": functions,
            "score_mode": "first",
            "boost_mode": "multiply",
        }
    }


def read_statistics(
    client: Elasticsearch, alias: str, query: SearchQuery, course_id: CourseId
) -> CollectionStatistics:
    """Statistics of a course for the terms of a query, from the live generation; `NotFoundError` without one.

    One request: the term vectors of a document that is not in the index and holds the terms of the query.
    Deleted documents count until they are merged away, as they do in every score.
    """
    terms = tuple(query_terms(query))
    document = dict.fromkeys(FIELDS, EMPTY)
    for field, token in terms:
        document[field] += f" {token}"
    named = {field_of(field, course_id): text for field, text in document.items()}
    answer = client.termvectors(
        index=alias,
        doc=named,
        fields=list(named),
        field_statistics=True,
        term_statistics=True,
        offsets=False,
        positions=False,
        payloads=False,
        preference=SAME_COPY,
    )
    found: Mapping[str, Any] = answer.body["term_vectors"]
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


SETTINGS: dict[str, object] = {
    "number_of_shards": 1,  # one shard has one set of statistics, so scores are those of the whole index
    "auto_expand_replicas": "0-1",
    "refresh_interval": "-1",  # every change refreshes the index itself
    "mapping": {"total_fields": {"limit": 1_000_000}},
    "similarity": {"vta": {"type": "BM25", "k1": K1, "b": B}},
}

STAMPS: dict[str, Any] = {
    "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
    "mappings": {"dynamic": "strict", "properties": {"stamp": {"type": "keyword", "index": False}}},
}
"""The index of the stamps, a document a generation: in a mapping, each change would cost all its fields."""

_TOKENS = {
    "type": "text",
    "analyzer": "whitespace",  # the tokens are made by our analyser; they only need to be split
    "similarity": "vta",
    "index_options": "freqs",
}


def field_of(field: str, course_id: CourseId) -> str:
    """The field with these tokens of a course: Lucene counts by field, so its statistics are the course's."""
    return f"{field}.{hashlib.sha256(course_id.encode()).hexdigest()[:16]}"


def mappings(
    analyser: Analyser, beside: Mapping[str, object], courses: Iterable[CourseId] = ()
) -> dict[str, object]:
    """The mapping of a new generation. The tokens are not kept: the pair is, as one line of JSON.

    `beside` are fields of another search over the same pairs. Those of `courses` are made at
    once; each other course costs a change of the mapping when its first pair comes.
    """
    named: dict[str, dict[str, object]] = {field: {} for field in FIELDS}
    for course_id in courses:
        for field, fields in named.items():
            fields[field_of(field, course_id).removeprefix(f"{field}.")] = _TOKENS
    return {
        "dynamic": "strict",
        "_meta": {"format": FORMAT, "analyser": analyser.fingerprint},
        "_source": {"excludes": [*FIELDS, *beside]},
        "properties": {
            "pair": {"type": "keyword", "index": False, "doc_values": False},
            "pair_id": {"type": "keyword", "index": False},
            "group": {"type": "keyword", "doc_values": False},
            **{
                field: {"type": "object", "dynamic": True, "properties": fields}
                for field, fields in named.items()
            },
            **beside,
        },
        "dynamic_templates": [
            {"tokens": {"path_match": [f"{field}.*" for field in FIELDS], "mapping": _TOKENS}}
        ],
    }
