"""The search index in Elasticsearch 9: one alias, one index a generation.

The alias names the generation that answers. A new one is built beside it under a staging alias and swapped in
by one atomic update of the aliases, so a search sees the old index or the new one and never an empty one. The
generation before the live one stays until the next build begins, so that searches under way end well.

Scores are those of the embedded index (docs/adr/0004-two-engines.md): the same tokens, one shard, fields of
each course, none of which is ever missing in its pairs.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from elasticsearch import ApiError, Elasticsearch, NotFoundError, TransportError
from elasticsearch.helpers import bulk, streaming_bulk

from knowledge.index.elasticsearch_client import SAME_COPY, live_generation, translated_errors
from knowledge.index.elasticsearch_query import (
    SETTINGS,
    STAMPS,
    Body,
    field_of,
    mappings,
    read_statistics,
    search_body,
)
from knowledge.index.faults import check_since, check_stale, no_generation
from knowledge.index.tokens import FORMAT, group, pair_from_json, pair_to_json, token_fields
from vta.errors import Conflict
from vta.faults import Fault
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, SourceWeight

if TYPE_CHECKING:
    from knowledge.vectors.elasticsearch import VectorField

_ABANDONED_MS = 24 * 3600 * 1000
"""A generation staged for longer than a day is what a crash left behind."""

_WRITING_S = 30.0
"""Seconds that a batch of pairs, the refresh after the last, or a change of the mapping may take."""

_OVERTAKEN = ("more than one write index", "index_not_found_exception")
_SWAPS = 20
"""Attempts at a swap while other writers swap at the same time."""


class ElasticsearchIndex:
    """`knowledge.index.PairIndex` over Elasticsearch. Safe to share between threads, processes and machines.

    Every failure of the server is `UpstreamFailed` that names it. Pair ids are unique within an index.
    """

    def __init__(
        self,
        client: Elasticsearch,
        *,
        alias: str,
        beside: VectorField | None = None,
        courses: Callable[[], Iterable[CourseId]] = tuple,
    ) -> None:
        """`beside` adds the vectors; `courses` are those whose fields a new generation has from the start."""
        self._courses = courses
        self._beside = beside
        self._client = client
        self._writer = client.options(request_timeout=_WRITING_S)
        self._alias = alias
        self._stamps = f"{alias}.stamps-{FORMAT}"

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        name = f"{self._alias}.generation-{uuid.uuid4().hex[:12]}"
        with translated_errors(self._client):
            self._live()  # a server that is away is met here, where waiting for it is short
            self._drop_left_over()
            try:
                beside = self._beside.mapping() if self._beside else {}
                self._create(name, mappings(analyser, beside, self._courses()))
                count = self._fill(name, pairs, analyser)
                self._keep_stamp(name, stamp)
                self._swap(name)
            except BaseException:
                with contextlib.suppress(ApiError, TransportError):  # a swap may be done though unheard
                    if live_generation(self._client, self._alias) != name:
                        self._client.indices.delete(index=name, ignore_unavailable=True)
                raise
        return count

    def update(
        self,
        *,
        put: Collection[QAPair],
        remove: Mapping[PairId, CourseId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        """Update as the port says, without transactions.

        A request that breaks off half way leaves the stamp as it was, and its changes may show before they
        are made again. Of two writers that check `since` at once, the last one's pairs stay. `Conflict` where
        another generation was swapped in meanwhile: the update went to the old one.
        """
        with translated_errors(self._client):
            live = self._live()
            if live is None:
                raise no_generation()
            name, current = live
            check_since(current, since)
            gone = [_document_id(id) for id in {*remove, *(pair.id for pair in put)}]
            with contextlib.suppress(NotFoundError):  # dropped meanwhile; the check below reports it
                self._check_stale(name, gone)
                changes = (*_deletions(put, remove), *self._documents(put, analyser, name=None))
                bulk(self._writer, changes, index=name, ignore_status=(404,))
                self._writer.indices.refresh(index=name)
                self._keep_stamp(name, stamp)
            after = self._live()
            if after is None or after[0] != name:
                raise Conflict(Fault("index.swapped"))

    def stamp(self) -> str | None:
        with translated_errors(self._client):
            live = self._live()
        return live[1] if live else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        return self._find(query, weights, top)

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        return self._find(query, weights, len(ids), among=tuple(map(_document_id, ids)))

    def _find(
        self,
        query: SearchQuery,
        weights: Sequence[SourceWeight],
        top: int,
        *,
        among: Sequence[str] | None = None,
    ) -> tuple[Candidate, ...]:
        chosen = {group(w.source, w.course_id): w for w in weights if w.weight > 0}
        if not chosen or top < 1 or (among is None and not (query.words or query.grams)):
            self._search({"size": 0, "terminate_after": 1})
            return ()
        hits = self._search(search_body(query, tuple(chosen.values()), top, among=among))["hits"]["hits"]
        return tuple(_candidate(hit, chosen) for hit in hits)

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        with translated_errors(self._client):
            try:
                return read_statistics(self._client, self._alias, query, course_id)
            except NotFoundError as error:
                raise no_generation() from error

    def _search(self, body: Body) -> Mapping[str, Any]:
        with translated_errors(self._client):
            try:
                answer = self._client.search(
                    index=self._alias,
                    body=body,
                    preference=SAME_COPY,
                    allow_partial_search_results=False,
                )
            except NotFoundError as error:
                raise no_generation() from error
        found: Mapping[str, Any] = answer.body
        return found

    def _live(self) -> tuple[str, str] | None:
        """Name and stamp of the live generation; None where there is none of this format."""
        name = live_generation(self._client, self._alias)
        if name is None:
            return None
        try:
            kept = self._client.get(index=self._stamps, id=name)
        except NotFoundError:
            return None
        return name, str(kept["_source"]["stamp"])

    def _keep_stamp(self, name: str, stamp: str) -> None:
        self._writer.index(index=self._stamps, id=name, document={"stamp": stamp})

    def _check_stale(self, name: str, gone: Sequence[str]) -> None:
        """`gone` are the ids of documents that are about to be replaced or removed."""
        found = self._client.count(index=name, query={"ids": {"values": gone}})["count"]
        docs = self._client.indices.stats(index=name, metric="docs")["_all"]["primaries"]["docs"]
        check_stale(int(docs["deleted"]) + int(found), int(docs["count"]))

    def _create(self, name: str, mapping: Body) -> None:
        self._writer.options(ignore_status=400).indices.create(index=self._stamps, **STAMPS)  # may be there
        self._writer.indices.create(
            index=name, aliases={_staging(name): {}}, settings=SETTINGS, mappings=mapping
        )

    def _fill(self, name: str, pairs: Iterable[QAPair], analyser: Analyser) -> int:
        """Index the pairs into a staged generation; returns their number.

        `require_alias` stops a late batch from creating an index again that was dropped meanwhile.
        """
        documents = self._documents(pairs, analyser, name=name)
        done = streaming_bulk(self._writer, documents, index=_staging(name), require_alias=True)
        count = sum(1 for _ in done)
        self._writer.indices.refresh(index=name)
        return count

    def _documents(self, pairs: Iterable[QAPair], analyser: Analyser, *, name: str | None) -> Iterator[Body]:
        """The documents of pairs; `name` as in `VectorField.stage`."""
        staged = self._beside.stage(pairs, name=name) if self._beside else ((pair, {}) for pair in pairs)
        for pair, more in staged:
            yield {**_document(pair, analyser), **more}

    def _swap(self, name: str) -> None:
        """One atomic update: the alias names the new generation and no other.

        Elasticsearch looks up which generation to take the alias from before the update's turn comes. An
        alias can have one write index only, so where another writer swapped in between, or dropped one that
        was looked up, ours is refused and asked again.
        """
        every = f"{self._alias}.generation-*"
        actions: list[Body] = [
            {"remove": {"index": every, "alias": self._alias, "must_exist": False}},
            {"remove": {"index": name, "alias": _staging(name)}},
            {"add": {"index": name, "alias": self._alias, "is_write_index": True}},
        ]
        for left in reversed(range(_SWAPS)):
            try:
                self._writer.indices.update_aliases(actions=actions)
            except ApiError as error:
                if not left or not any(each in f"{error.message} {error.body}" for each in _OVERTAKEN):
                    raise
            else:
                return

    def _drop_left_over(self) -> None:
        """Generations that were swapped out have no alias; those of a crash are still staged, and old.

        Another writer may drop the same ones at the same moment, which `ignore_unavailable` does not excuse.
        """
        known = self._writer.indices.get(index=f"{self._alias}.generation-*")
        for name, state in known.items():
            age_ms = time.time() * 1000 - int(state["settings"]["index"]["creation_date"])
            if not state["aliases"] or (self._alias not in state["aliases"] and age_ms > _ABANDONED_MS):
                with contextlib.suppress(NotFoundError):
                    self._writer.indices.delete(index=name, ignore_unavailable=True)
                self._writer.options(ignore_status=404).delete(index=self._stamps, id=name)


def _staging(name: str) -> str:
    return f"{name}-staged"


def _document_id(id: PairId) -> str:
    return hashlib.sha256(id.encode()).hexdigest()  # at most 512 bytes are allowed


def _deletions(put: Collection[QAPair], remove: Collection[PairId]) -> Iterator[Body]:
    for id in {*remove}.difference(pair.id for pair in put):
        yield {"_op_type": "delete", "_id": _document_id(id)}


def _document(pair: QAPair, analyser: Analyser) -> Body:
    tokens = {
        field_of(field, pair.course_id): " ".join(tokens)
        for field, tokens in token_fields(pair, analyser).items()
    }
    return {
        "_id": _document_id(pair.id),
        "pair": pair_to_json(pair),
        "pair_id": pair.id,
        "group": group(pair.source, pair.course_id),
        **tokens,
    }


def _candidate(hit: Mapping[str, Any], weights: Mapping[str, SourceWeight]) -> Candidate:
    weight, score = weights[hit["_source"]["group"]].weight, float(hit["_score"])
    return Candidate(
        pair=pair_from_json(hit["_source"]["pair"]), bm25=score / weight, weight=weight, score=score
    )
