"""The best pairs of one course of the embedded index under S(z, q), exactly.

Groups of pairs with the same weights are one search for the terms of the question within the groups, which
looks at every pair that holds one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from tantivy import DocAddress, Occur, Query, Searcher

from knowledge.index.embedded_documents import SCHEMA, read_pair
from knowledge.index.tokens import boosted_terms, group
from vta.types import Candidate, PairId, SearchQuery, SourceWeight

Hit = tuple[float, DocAddress]

_TIES = 16
"""Hits fetched beyond those wanted, so that ties with the last of them are seldom fetched for anew."""


def best_pairs(
    searcher: Searcher, query: SearchQuery, weights: Sequence[SourceWeight], top: int
) -> tuple[Candidate, ...]:
    """The top pairs that `weights` select and that hold a term, best first, ties by pair id."""
    found: list[tuple[float, DocAddress, float]] = []
    for same in _alike(weights):
        hits = _best_of(searcher, _within([_groups(same)], _terms(query, same[0])), top)
        found.extend((score, address, same[0].weight) for score, address in hits)
    found.sort(key=lambda hit: -hit[0])
    if len(found) > top:
        found = _without_lost_ties(searcher, [hit for hit in found if hit[0] >= found[top - 1][0]], top)
    return _best_first(_candidate(searcher, *hit) for hit in found)[:top]


def score_pairs(
    searcher: Searcher, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
) -> tuple[Candidate, ...]:
    """Those of these pairs that `weights` select and that hold a term, best first, ties by pair id."""
    named = _union(Query.term_query(SCHEMA, "id", id, index_option="basic") for id in ids)
    candidates: list[Candidate] = []
    for same in _alike(weights):
        hits = _hits(searcher, _within([named, _groups(same)], _terms(query, same[0])), len(ids))
        candidates += [_candidate(searcher, score, address, same[0].weight) for score, address in hits]
    return _best_first(candidates)


def _alike(weights: Sequence[SourceWeight]) -> Iterable[list[SourceWeight]]:
    """The groups to look in, those whose pairs are scored alike together."""
    alike: dict[tuple[float, float, float], list[SourceWeight]] = {}
    for each in {group(w.source, w.course_id): w for w in weights if w.weight > 0}.values():
        alike.setdefault((each.weight, each.question, each.answer), []).append(each)
    return alike.values()


def _terms(query: SearchQuery, weight: SourceWeight) -> Query:
    return _union(
        Query.boost_query(Query.term_query(SCHEMA, field, token, index_option="freq"), weight.weight * boost)
        for field, token, boost in boosted_terms(query, weight)
    )


def _groups(weights: Sequence[SourceWeight]) -> Query:
    names = [group(each.source, each.course_id) for each in weights]
    return _union(Query.term_query(SCHEMA, "group", name, index_option="basic") for name in names)


def _within(chosen: Sequence[Query], terms: Query) -> Query:
    """The pairs in all of what is chosen that hold a term, with the score of the terms alone."""
    filters = [(Occur.Must, Query.const_score_query(each, 0.0)) for each in chosen]
    return Query.boolean_query([*filters, (Occur.Must, terms)])


def _union(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _best_of(searcher: Searcher, query: Query, top: int) -> list[Hit]:
    """At least the top hits and all that tie with the last of them, best first."""
    limit = top + _TIES
    while True:
        hits = _hits(searcher, query, limit)
        if len(hits) < limit or hits[-1][0] < hits[top - 1][0]:
            return hits
        limit *= 4


def _hits(searcher: Searcher, query: Query, limit: int) -> list[Hit]:
    """Hits with their scores to six digits: tantivy sums the terms of a pair in no fixed order, and pairs
    with the same tokens shall tie."""
    found = searcher.search(query, limit=limit, count=False).hits
    return [(float(f"{score:.6g}"), address) for score, address in found]


def _without_lost_ties(
    searcher: Searcher, found: list[tuple[float, DocAddress, float]], top: int
) -> list[tuple[float, DocAddress, float]]:
    """Without those that tie with the last place and come too late, as far as the numbers of ids tell."""
    last = found[-1][0]
    sure = [hit for hit in found if hit[0] > last]
    tied = [hit for hit in found if hit[0] == last]
    ids = searcher.fast_field_values("id_number", [address for _, address, _ in tied])
    latest = sorted(map(int, ids))[top - len(sure) - 1]
    return sure + [hit for hit, number in zip(tied, ids, strict=True) if number <= latest]


def _best_first(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    return tuple(sorted(candidates, key=lambda each: (-each.score, each.pair.id)))


def _candidate(searcher: Searcher, score: float, address: DocAddress, weight: float) -> Candidate:
    return Candidate(pair=read_pair(searcher, address), bm25=score / weight, weight=weight, score=score)
