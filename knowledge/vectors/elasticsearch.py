"""The vectors in Elasticsearch 9: a `dense_vector` field beside the tokens of a pair, searched by kNN.

The graph (HNSW, float32, not quantised) is searched among the chosen groups only. It is approximate; where
few pairs are chosen, Elasticsearch compares all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

from knowledge.index.elasticsearch_client import SAME_COPY, live_generation, translated_errors
from knowledge.index.elasticsearch_query import Body
from knowledge.index.faults import no_generation
from knowledge.index.tokens import group
from knowledge.vectors.rows import EmbeddedPairs, Vector, check_dimensions, check_model
from vta.ports import Embedder
from vta.types.courses import PairId
from vta.types.pairs import QAPair, SourceWeight

FIELD = "vector"
_CANDIDATES = 200
"""Fewest pairs that the graph is searched for, so that the few nearest are almost surely among them."""

_TIES = 8
_LONGEST_NOTE = 400
"""Characters; a note in a mapping may have 500."""


class VectorField:
    """Writes the vectors of a generation of `ElasticsearchIndex`.

    The notes of the field tell the model and, where it failed, why.
    """

    def __init__(self, client: Elasticsearch, embedder: Embedder) -> None:
        self._client = client
        self._embedder = embedder

    def mapping(self) -> Body:
        """Without the dimension, which the first vector gives."""
        return {
            FIELD: {
                "type": "dense_vector",
                "similarity": "cosine",
                "index_options": {"type": "hnsw"},
                "meta": {"model": self._embedder.name[:_LONGEST_NOTE]},
            }
        }

    def stage(self, pairs: Iterable[QAPair], *, name: str | None) -> Iterator[tuple[QAPair, Body]]:
        """The same pairs, each with its fields; a generation that cannot be embedded has none and says so.

        `name` is the generation that is built of them, None where they change the live one.
        """
        embedded = EmbeddedPairs(pairs, self._embedder)
        for pair, vector in embedded:
            yield pair, {} if vector is None else {FIELD: vector.tolist()}
        if embedded.failure and name is not None:
            self._note(name, embedded.failure)

    def _note(self, name: str, failure: str) -> None:
        found = self._client.indices.get_mapping(index=name)
        field = dict(found[name]["mappings"]["properties"][FIELD])
        field["meta"] = {**field["meta"], "failure": failure[:_LONGEST_NOTE]}
        self._client.indices.put_mapping(index=name, properties={FIELD: field})


class ElasticsearchVectors:
    """`knowledge.vectors.rows.VectorIndex` over the live generation of an `ElasticsearchIndex`."""

    def __init__(self, client: Elasticsearch, *, alias: str, model: str) -> None:
        """`model` is the name of the embedder that makes the vectors of the questions."""
        self._client = client
        self._alias = alias
        self._model = model[:_LONGEST_NOTE]
        self._known: tuple[str, Mapping[str, Any]] | None = None

    def nearest(self, vector: Vector, weights: Sequence[SourceWeight], top: int) -> dict[PairId, float]:
        groups = sorted({group(w.source, w.course_id) for w in weights if w.weight > 0})
        with translated_errors(self._client):
            name, field = self._field()
            notes = field.get("meta", {})
            check_model(notes.get("model"), self._model, failure=notes.get("failure"))
            if not groups or top < 1 or "dims" not in field:
                return {}
            check_dimensions(int(field["dims"]), len(vector))
            hits = self._client.search(
                index=name, body=_body(vector, groups, top + _TIES), preference=SAME_COPY
            )["hits"]["hits"]
        found = sorted((1 - 2 * float(hit["_score"]), PairId(hit["_source"]["pair_id"])) for hit in hits)
        return {id: -negated for negated, id in found[:top]}

    def _field(self) -> tuple[str, Mapping[str, Any]]:
        """The live generation and the mapping of its vectors, empty where it has none.

        The mapping of whole vectors is read once a generation, since it does not change any more.
        """
        name = live_generation(self._client, self._alias)
        if name is None:
            raise no_generation()
        if self._known is None or self._known[0] != name:
            found = self._client.indices.get_field_mapping(index=name, fields=FIELD)
            field = found[name]["mappings"].get(FIELD, {}).get("mapping", {}).get(FIELD, {})
            if "dims" not in field:
                return name, field
            self._known = name, field
        return self._known


def _body(vector: Vector, groups: Sequence[str], top: int) -> Body:
    """The score of a hit is (1 + cosine) / 2."""
    nearest = {
        "field": FIELD,
        "query_vector": vector.tolist(),
        "k": top,
        "num_candidates": max(_CANDIDATES, 4 * top),
        "filter": {"terms": {"group": list(groups)}},
    }
    return {"knn": nearest, "size": top, "_source": ["pair_id"]}
