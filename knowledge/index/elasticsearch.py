"""The search index in Elasticsearch 9: one alias, one index a generation.

The alias names the generation that answers. A new one is built beside it under a staging alias and swapped in
by one atomic update of the aliases, so a search sees the old index or the new one and never an empty one. The
generation before the live one stays until the next build begins, so that searches under way end well.

Scores are those of the embedded index (docs/adr/0004-two-engines.md): the same tokens, one shard, no field
ever missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from elasticsearch import ApiError, Elasticsearch, NotFoundError, TransportError
from elasticsearch.helpers import streaming_bulk

from knowledge.index.elasticsearch_client import SAME_COPY, translated_errors
from knowledge.index.elasticsearch_mapping import SETTINGS, mappings
from knowledge.index.elasticsearch_query import Body, frequencies_body, search_body
from knowledge.index.payload import pair_from_json, pair_to_json
from knowledge.index.scores import perfect_bm25
from knowledge.index.tokens import FORMAT, group, token_fields
from vta.errors import NotReady
from vta.text import Analyser
from vta.types import Candidate, QAPair, SearchQuery, SourceWeight

_ABANDONED_MS = 24 * 3600 * 1000
"""A generation staged for longer than a day is what a crash left behind."""

_BATCH_S = 60.0
"""Seconds that one batch of pairs, or the refresh after the last, may take."""

_SWAPS = 20
"""How often a swap is asked for when other writers swap at the same time."""


class Beside(Protocol):
    """What else is kept of the pairs in a generation, in fields of its own."""

    def mapping(self) -> Body:
        """The mapping of these fields."""
        ...

    def stage(self, pairs: Iterable[QAPair], *, name: str | None) -> Iterator[tuple[QAPair, Body]]:
        """The same pairs, each with its fields.

        `name` is the generation that is built of them, None where they change the live one.
        """
        ...


class ElasticsearchIndex:
    """`vta.ports.PairIndex` over Elasticsearch. Safe to share between threads, processes and machines.

    Every failure of the server is `UpstreamFailed` that names it. Pair ids are unique within an index.
    """

    def __init__(self, client: Elasticsearch, *, alias: str, beside: Beside | None = None) -> None:
        self._beside = beside
        self._client = client
        self._alias = alias

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        name = f"{self._alias}.generation-{uuid.uuid4().hex[:12]}"
        with translated_errors(self._client):
            self._drop_left_over()
            try:
                self._create(name, mappings(stamp, analyser, self._beside.mapping() if self._beside else {}))
                count = self._fill(name, pairs, analyser)
                self._swap(name)
            except BaseException:
                with contextlib.suppress(ApiError, TransportError):
                    self._client.indices.delete(index=name, ignore_unavailable=True)
                raise
        return count

    def stamp(self) -> str | None:
        with translated_errors(self._client):
            try:
                found = self._client.indices.get_mapping(index=self._alias)
            except NotFoundError:
                return None
        meta = next(iter(found.values()))["mappings"].get("_meta", {})
        return str(meta["stamp"]) if meta.get("format") == FORMAT else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        chosen = {group(w.source, w.course_id): w for w in weights if w.weight > 0}
        if not chosen or top < 1 or not (query.words or query.grams):
            self._search({"size": 0, "terminate_after": 1})
            return ()
        hits = self._search(search_body(query, tuple(chosen.values()), top))["hits"]["hits"]
        return tuple(_candidate(hit, chosen) for hit in hits)

    def perfect_bm25(self, query: SearchQuery) -> float:
        found = self._search(frequencies_body(query))
        documents = int(found["hits"]["total"]["value"])
        counts = found["aggregations"]["terms"]["buckets"] if "aggregations" in found else {}
        return perfect_bm25(
            query, documents, lambda field, token: int(counts[f"{field}:{token}"]["doc_count"])
        )

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
                raise NotReady("the search index is empty; ingest course material first") from error
        found: Mapping[str, Any] = answer.body
        return found

    def _create(self, name: str, mapping: Body) -> None:
        self._client.indices.create(
            index=name, aliases={_staging(name): {}}, settings=SETTINGS, mappings=mapping
        )

    def _fill(self, name: str, pairs: Iterable[QAPair], analyser: Analyser) -> int:
        """`require_alias` keeps a late batch from making an index anew that was dropped meanwhile."""
        client = self._client.options(request_timeout=_BATCH_S)
        staged = self._beside.stage(pairs, name=name) if self._beside else ((pair, {}) for pair in pairs)
        documents = ({**_document(pair, analyser), **more} for pair, more in staged)
        done = streaming_bulk(client, documents, index=_staging(name), require_alias=True)
        count = sum(1 for _ in done)
        client.indices.refresh(index=name)
        return count

    def _swap(self, name: str) -> None:
        """One atomic update: the alias names the new generation and no other.

        Elasticsearch looks up which generation to take the alias from before the update's turn comes. An
        alias can have one write index only, so where another writer swapped in between, ours is refused and
        asked again.
        """
        every = f"{self._alias}.generation-*"
        actions: list[Body] = [
            {"remove": {"index": every, "alias": self._alias, "must_exist": False}},
            {"remove": {"index": name, "alias": _staging(name)}},
            {"add": {"index": name, "alias": self._alias, "is_write_index": True}},
        ]
        for left in reversed(range(_SWAPS)):
            try:
                self._client.indices.update_aliases(actions=actions)
                return
            except ApiError as error:
                if not left or "more than one write index" not in error.message + str(error.body):
                    raise

    def _drop_left_over(self) -> None:
        """Generations that were swapped out have no alias; those of a crash are still staged, and old."""
        known = self._client.indices.get(index=f"{self._alias}.generation-*")
        for name, state in known.items():
            age_ms = time.time() * 1000 - int(state["settings"]["index"]["creation_date"])
            if not state["aliases"] or (self._alias not in state["aliases"] and age_ms > _ABANDONED_MS):
                self._client.indices.delete(index=name, ignore_unavailable=True)


def _staging(name: str) -> str:
    return f"{name}-staged"


def _document(pair: QAPair, analyser: Analyser) -> Body:
    tokens = {field: " ".join(tokens) for field, tokens in token_fields(pair, analyser).items()}
    return {
        "_id": hashlib.sha256(pair.id.encode()).hexdigest(),  # at most 512 bytes are allowed
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
