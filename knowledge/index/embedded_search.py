"""The best pairs of one open generation of the embedded index under S(z, q), exactly.

Groups of pairs with the same weights are one search: the flat union of the question's boosted terms, the one
form in which tantivy passes over blocks of pairs that cannot be among the best. It knows no filter, so hits
are fetched until enough of them belong to the groups. Where the index has several segments, tantivy's bounds
of a block are off by a known factor (embedded_bounds.py): then hits are fetched until the last is worse by it
than the top ones, and the pairs that updates have added are searched by themselves. Where too many hits would
be needed, the terms are asked for within the groups instead, which looks at every pair that holds one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import tantivy
from tantivy import DocAddress, Occur, Query, Schema, Searcher

from knowledge.index.payload import pair_from_json
from knowledge.index.tokens import boosted_terms, group
from vta.types import Candidate, PairId, QAPair, SearchQuery, SourceWeight

Hit = tuple[float, DocAddress]
Slack = Mapping[str, float]

ADDED = "added"
"""A group besides their own of the pairs that an update has put; no source has a name without a colon."""

_TIES = 16
"""Hits fetched beyond those wanted, so that ties with the last of them are seldom fetched for anew."""
_MOST_FETCHED = 5_000
_SMALLEST_SHARE = 0.1
FEW = 10_000
"""Groups that hold a smaller share of the index, or no more pairs than this, are searched by themselves."""


def best_pairs(
    index: tantivy.Index,
    query: SearchQuery,
    weights: Sequence[SourceWeight],
    top: int,
    slack: Slack | None,
) -> tuple[Candidate, ...]:
    """The top pairs that `weights` select and that hold a term, best first, ties by pair id.

    `slack` says how far tantivy's bounds hold (embedded_bounds.py); where it is None they are not relied on.
    """
    schema, searcher = index.schema, index.searcher()
    found: list[tuple[float, DocAddress, float]] = []
    for same in _alike(weights):
        hits = _best_of_groups(searcher, schema, query, same, top, slack)
        found.extend((score, address, same[0].weight) for score, address in hits)
    found.sort(key=lambda hit: -hit[0])
    if len(found) > top:
        found = _without_lost_ties(searcher, [hit for hit in found if hit[0] >= found[top - 1][0]], top)
    candidates = [_candidate(searcher, *hit) for hit in found]
    return tuple(sorted(candidates, key=lambda c: (-c.score, c.pair.id))[:top])


def score_pairs(
    index: tantivy.Index, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
) -> tuple[Candidate, ...]:
    """Those of these pairs that `weights` select and that hold a term, best first, ties by pair id."""
    schema, searcher = index.schema, index.searcher()
    named = _union(Query.term_query(schema, "id", id, index_option="basic") for id in ids)
    candidates = []
    for same in _alike(weights):
        names = [group(each.source, each.course_id) for each in same]
        if any(searcher.doc_freq("group", name) for name in names):
            chosen = [named, _union(_group(schema, name) for name in names)]
            hits = _hits(searcher, _within(chosen, _terms(schema, query, same[0])), len(ids))
            candidates += [_candidate(searcher, score, address, same[0].weight) for score, address in hits]
    return tuple(sorted(candidates, key=lambda c: (-c.score, c.pair.id)))


def read_pairs(index: tantivy.Index, most: int) -> int:
    """How many of the first pairs were read; raises whatever is wrong with one."""
    return sum(1 for _ in all_pairs(index.searcher(), most))


def all_pairs(searcher: Searcher, most: int | None = None) -> Iterator[QAPair]:
    """The pairs that are kept, or so many of them."""
    limit = searcher.num_docs if most is None else min(searcher.num_docs, most)
    hits = searcher.search(Query.all_query(), limit=limit, count=False).hits if limit > 0 else ()
    return (pair_from_json(bytes(searcher.doc(address).get_first("pair")).decode()) for _, address in hits)


@lru_cache(maxsize=10_000)
def group_number(name: str) -> int:
    """A group as the fast field holds it, distinguished by 64 bits."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])


def id_number(id: PairId) -> int:
    """The first eight bytes of an id as a number: in the order of the ids, equal where they begin alike."""
    return int.from_bytes(id.encode()[:8].ljust(8, b"\0"))


def _alike(weights: Sequence[SourceWeight]) -> Iterable[list[SourceWeight]]:
    """The groups to look in, those whose pairs are scored alike together."""
    alike: dict[tuple[float, float, float], list[SourceWeight]] = {}
    for each in {group(w.source, w.course_id): w for w in weights if w.weight > 0}.values():
        alike.setdefault((each.weight, each.question, each.answer), []).append(each)
    return alike.values()


def _terms(schema: Schema, query: SearchQuery, weight: SourceWeight) -> Query:
    return _union(
        Query.boost_query(Query.term_query(schema, field, token, index_option="freq"), weight.weight * boost)
        for field, token, boost in boosted_terms(query, weight)
    )


def _best_of_groups(
    searcher: Searcher,
    schema: Schema,
    query: SearchQuery,
    weights: Sequence[SourceWeight],
    top: int,
    slack: Slack | None,
) -> list[Hit]:
    """The best hits of groups with the same weights: at least the top ones and all that tie with the last."""
    names = [group(each.source, each.course_id) for each in weights]
    held = {name: searcher.doc_freq("group", name) for name in names}
    if not any(held.values()):
        return []
    terms = _terms(schema, query, weights[0])
    groups = _union(_group(schema, name) for name in names if held[name])
    share = min(sum(held.values()) / searcher.num_docs, 1.0) if searcher.num_docs else 0.0
    if share >= _SMALLEST_SHARE and sum(held.values()) > FEW and slack is not None:
        numbers = {group_number(name) for name in names}
        factor = max((slack[field] for field, _, _ in boosted_terms(query, weights[0])), default=1.0)
        several = searcher.num_segments > 1
        added = _best_within(searcher, [_group(schema, ADDED), groups], terms, top) if several else []
        limit = int((top + _TIES) / share)
        while limit <= max(_MOST_FETCHED, top + _TIES):
            hits = _hits(searcher, terms, limit)
            kept = _together(_of_groups(searcher, hits, numbers), added)
            if len(hits) < limit or (len(kept) >= top and hits[-1][0] * factor < kept[top - 1][0]):
                return kept
            limit *= 4
    return _best_within(searcher, [groups], terms, top)


def _best_within(searcher: Searcher, chosen: Sequence[Query], terms: Query, top: int) -> list[Hit]:
    """The same of the pairs that are in all of what is chosen, looking at each that holds a term."""
    within = _within(chosen, terms)
    limit = top + _TIES
    while True:
        hits = _hits(searcher, within, limit)
        if len(hits) < limit or hits[-1][0] < hits[top - 1][0]:
            return hits
        limit *= 4


def _within(chosen: Sequence[Query], terms: Query) -> Query:
    """The pairs in all of what is chosen that hold a term, with the score of the terms alone."""
    filters = [(Occur.Must, Query.const_score_query(each, 0.0)) for each in chosen]
    return Query.boolean_query([*filters, (Occur.Must, terms)])


def _together(one: list[Hit], other: list[Hit]) -> list[Hit]:
    """Hits of two searches, each once, best first."""
    if not other:
        return one
    seen = {(address.segment_ord, address.doc) for _, address in one}
    more = [hit for hit in other if (hit[1].segment_ord, hit[1].doc) not in seen]
    return sorted([*one, *more], key=lambda hit: -hit[0])


def _group(schema: Schema, name: str) -> Query:
    return Query.term_query(schema, "group", name, index_option="basic")


def _union(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def _hits(searcher: Searcher, query: Query, limit: int) -> list[Hit]:
    """Hits with their scores to six digits: tantivy sums the terms of a pair in no fixed order, and pairs
    with the same tokens shall tie."""
    found = searcher.search(query, limit=limit, count=False).hits
    return [(float(f"{score:.6g}"), address) for score, address in found]


def _of_groups(searcher: Searcher, hits: Sequence[Hit], numbers: set[int]) -> list[Hit]:
    groups = searcher.fast_field_values("group_number", [address for _, address in hits])
    return [hit for hit, number in zip(hits, groups, strict=True) if number in numbers]


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


def _candidate(searcher: Searcher, score: float, address: DocAddress, weight: float) -> Candidate:
    pair = pair_from_json(bytes(searcher.doc(address).get_first("pair")).decode())
    return Candidate(pair=pair, bm25=score / weight, weight=weight, score=score)
