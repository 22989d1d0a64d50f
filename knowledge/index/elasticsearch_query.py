"""S(z, q) as one search: exact over all pairs, without scripts.

Groups of pairs of a course whose question and answer sides count alike share one query. The weight of S is a
`function_score` with one `terms` filter a distinct weight, multiplied with BM25.
"""

from __future__ import annotations

from collections.abc import Sequence

from knowledge.index.elasticsearch_mapping import field_of
from knowledge.index.tokens import boosted_terms, group
from vta.types import CourseId, SearchQuery, SourceWeight

Body = dict[str, object]


def search_body(
    query: SearchQuery, weights: Sequence[SourceWeight], top: int, *, among: Sequence[str] | None = None
) -> Body:
    """The top pairs by S, ties by pair id. All weights are above 0, one for each group.

    `among` are the ids of documents, where only some are looked at.
    """
    alike: dict[tuple[CourseId, float, float], list[SourceWeight]] = {}
    for weight in weights:
        alike.setdefault((weight.course_id, weight.question, weight.answer), []).append(weight)
    matching: Body = {"should": [_scored(query, group_weights) for group_weights in alike.values()]}
    if among is not None:
        matching |= {"minimum_should_match": 1, "filter": {"ids": {"values": list(among)}}}
    return {
        "size": top,
        "query": {"bool": matching},
        "sort": [{"_score": "desc"}, {"pair_id": "asc"}],
        "track_total_hits": False,
        "_source": ["pair", "group"],
    }


def _scored(query: SearchQuery, weights: Sequence[SourceWeight]) -> Body:
    """The pairs of these groups of one course, scored by weight * BM25."""
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
            "must": {"bool": {"should": terms, "minimum_should_match": 1}},
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
