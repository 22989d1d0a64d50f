"""How a generation is kept in Elasticsearch."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from knowledge.index.tokens import FIELDS, FORMAT, K1, B
from vta.text import Analyser
from vta.types import CourseId

SETTINGS: dict[str, object] = {
    "number_of_shards": 1,  # one shard has one set of statistics, so scores are those of the whole index
    "auto_expand_replicas": "0-1",
    "refresh_interval": "-1",  # every change refreshes the index itself
    "mapping": {"total_fields": {"limit": 1_000_000}},
    "similarity": {"vta": {"type": "BM25", "k1": K1, "b": B}},
}

_TOKENS = {
    "type": "text",
    "analyzer": "whitespace",  # the tokens are made by our analyser; they only need to be told apart
    "similarity": "vta",
    "index_options": "freqs",
}


def field_of(field: str, course_id: CourseId) -> str:
    """The field with these tokens of a course: Lucene counts by field, so its statistics are the course's."""
    return f"{field}.{hashlib.sha256(course_id.encode()).hexdigest()[:16]}"


def meta(stamp: str, analyser: Analyser) -> dict[str, object]:
    """What a generation says of itself."""
    return {"format": FORMAT, "analyser": analyser.fingerprint, "stamp": stamp}


def mappings(stamp: str, analyser: Analyser, beside: Mapping[str, object]) -> dict[str, object]:
    """The mapping of a new generation. The tokens are not kept: the pair is, as one line of JSON.

    `beside` are fields that are kept for another search over the same pairs.
    """
    return {
        "dynamic": "strict",
        "_meta": meta(stamp, analyser),
        "_source": {"excludes": [*FIELDS, *beside]},
        "properties": {
            "pair": {"type": "keyword", "index": False, "doc_values": False},
            "pair_id": {"type": "keyword", "index": False},
            "group": {"type": "keyword", "doc_values": False},
            **{field: {"type": "object", "dynamic": True} for field in FIELDS},
            **beside,
        },
        "dynamic_templates": [
            {"tokens": {"path_match": [f"{field}.*" for field in FIELDS], "mapping": _TOKENS}}
        ],
    }
