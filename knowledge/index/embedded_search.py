"""The best pairs of one course of the embedded index under S(z, q), exactly.

Groups of pairs with the same weights are one search for the terms of the question within the groups, which
looks at every pair that holds one.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import tantivy
from tantivy import DocAddress, Occur, Query, Searcher

from knowledge.index.embedded_documents import META, SCHEMA, first_tokens, open_index, part_name, read_pair
from knowledge.index.tokens import FIELDS, boosted_terms, group, query_terms
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, SourceWeight

Hit = tuple[float, DocAddress]

_TIES = 16
"""Hits fetched beyond those wanted, so that ties with the last of them seldom need a second search."""


def best_pairs(
    searcher: Searcher, query: SearchQuery, weights: Sequence[SourceWeight], top: int
) -> list[Candidate]:
    """The top pairs that `weights` select and that hold a term, and some that tie with the last of them."""
    found: list[tuple[float, DocAddress, float]] = []
    for same in _alike(searcher, weights):
        hits = _best_of(searcher, _within([_groups(same)], _terms(query, same[0])), top)
        found.extend((score, address, same[0].weight) for score, address in hits)
    found.sort(key=lambda hit: -hit[0])
    if len(found) > top:
        found = _without_lost_ties(searcher, [hit for hit in found if hit[0] >= found[top - 1][0]], top)
    return [_candidate(read_pair(searcher, address), score, weight) for score, address, weight in found]


def score_pairs(
    searcher: Searcher, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
) -> list[Candidate]:
    """Those of these pairs that `weights` select."""
    named = _union(Query.term_query(SCHEMA, "id", id, index_option="basic") for id in ids)
    scored = [
        (Occur.Should, _within([_groups(same)], _terms(query, same[0]))) for same in _alike(searcher, weights)
    ]
    hits = _hits(searcher, Query.boolean_query([*_filters([named, _groups(weights)]), *scored]), len(ids))
    weight = {(each.source, each.course_id): each.weight for each in weights}
    found = [(read_pair(searcher, address), score) for score, address in hits]
    return [_candidate(pair, score, weight[pair.source, pair.course_id]) for pair, score in found]


def _alike(searcher: Searcher, weights: Sequence[SourceWeight]) -> Iterable[list[SourceWeight]]:
    """The groups to look in that hold a pair, those whose pairs are scored alike together."""
    alike: dict[tuple[float, float, float], list[SourceWeight]] = {}
    for name, each in {group(w.source, w.course_id): w for w in weights if w.weight > 0}.items():
        if searcher.doc_freq("group", name):
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
    return Query.boolean_query([*_filters(chosen), (Occur.Must, terms)])


def _filters(chosen: Sequence[Query]) -> list[tuple[Occur, Query]]:
    """Clauses that a pair must match, which add nothing to its score."""
    return [(Occur.Must, Query.const_score_query(each, 0.0)) for each in chosen]


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
    """Hits with their scores to six digits, so that pairs with the same tokens tie.

    tantivy sums the terms of a pair in no fixed order.
    """
    found = searcher.search(query, limit=limit, count=False).hits
    return [(float(f"{score:.6g}"), address) for score, address in found]


def _without_lost_ties(
    searcher: Searcher, found: list[tuple[float, DocAddress, float]], top: int
) -> list[tuple[float, DocAddress, float]]:
    """Drop hits that tie with the last place and whose id sorts after it, by the numbers of ids."""
    last = found[-1][0]
    sure = [hit for hit in found if hit[0] > last]
    tied = [hit for hit in found if hit[0] == last]
    ids = searcher.fast_field_values("id_number", [address for _, address, _ in tied])
    latest = sorted(map(int, ids))[top - len(sure) - 1]
    return sure + [hit for hit, number in zip(tied, ids, strict=True) if number <= latest]


def _candidate(pair: QAPair, score: float, weight: float) -> Candidate:
    return Candidate(pair=pair, bm25=score / weight, weight=weight, score=score)


_MOST_OPEN = 400
"""Parts that stay open; each maps some seven files a segment, and a process may have 65,530 such maps."""


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """The pairs of one course, open for reading at one commit, or at the next if it came just then.

    `documents` and `average_lengths` are what BM25 counts with: how many pairs, and their tokens by field, 0
    where there is no pair. Deleted ones count until they are merged away, as in the frequencies of terms.
    """

    version: tuple[int, ...]
    index: tantivy.Index
    searcher: tantivy.Searcher
    documents: int
    average_lengths: Mapping[str, float]

    def statistics(self, query: SearchQuery) -> CollectionStatistics:
        """Those for the terms of a query."""
        terms = query_terms(query)
        return CollectionStatistics(
            documents=self.documents,
            average_lengths=self.average_lengths,
            frequencies={(field, token): self.searcher.doc_freq(field, token) for field, token in terms},
        )


class Generation:
    """One build of the index, open for reading. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: OrderedDict[str, OpenIndex] = OrderedDict()
        self._stamp: str | None = None
        self._current: set[str] = set()
        self._lock = Lock()

    def follow(self, stamp: str) -> None:
        """Parts that were open at another stamp are brought to their newest commit before they are asked."""
        with self._lock:
            if stamp != self._stamp:
                self._stamp = stamp
                self._current.clear()

    def part(self, course_id: CourseId) -> OpenIndex | None:
        """That of a course; None where it has no pairs."""
        name = part_name(course_id)
        if name in self._parts or (self.folder / name).exists():
            return self._part(name)
        if not self.folder.exists():  # dropped by another process
            raise FileNotFoundError(self.folder)
        return None

    def parts(self) -> Iterator[OpenIndex]:
        """Those of all courses."""
        return (self._part(meta.parent.name) for meta in sorted(self.folder.glob(f"*/{META}")))

    def chosen(self, weights: Sequence[SourceWeight]) -> Iterator[tuple[OpenIndex, list[SourceWeight]]]:
        """The parts in which weights above 0 select pairs, each with these weights."""
        by_course: dict[CourseId, list[SourceWeight]] = {}
        for weight in weights:
            if weight.weight > 0:
                by_course.setdefault(weight.course_id, []).append(weight)
        for course_id, of_course in by_course.items():
            if (part := self.part(course_id)) is not None:
                yield part, of_course

    def _part(self, name: str) -> OpenIndex:
        with self._lock:
            if name not in self._current:
                self._parts[name] = _open(self.folder / name, self._parts.get(name))
                self._current.add(name)
            self._parts.move_to_end(name)
            while len(self._parts) > _MOST_OPEN:
                self._current.discard(self._parts.popitem(last=False)[0])
            return self._parts[name]


def _open(folder: Path, before: OpenIndex | None) -> OpenIndex:
    """One that was updated since is the same index at its newest commit."""
    found = os.stat(folder / META)  # tantivy would begin a new index where there is none
    version = found.st_ino, found.st_mtime_ns, found.st_size
    if before is not None and before.version == version:
        return before
    index = before.index if before is not None else open_index(folder)
    index.reload()
    searcher = index.searcher()
    return OpenIndex(version, index, searcher, *_totals(searcher))


def _totals(searcher: tantivy.Searcher) -> tuple[int, Mapping[str, float]]:
    """Number and average lengths of the pairs.

    tantivy reports them only when it explains a score, so one is explained in each field of some pair.
    """
    for _, address in searcher.search(Query.all_query(), limit=1, count=False).hits:
        explained = {}
        for field, token in first_tokens(searcher, address).items():
            query = Query.term_query(SCHEMA, field, token, index_option="freq")
            explained[field] = _descriptions(json.loads(query.explain(searcher, address).to_json()))
        documents = max(int(each["N, total number of docs"]) for each in explained.values())
        return documents, {field: each["avgdl, average length of field"] for field, each in explained.items()}
    return 0, dict.fromkeys(FIELDS, 0.0)


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
