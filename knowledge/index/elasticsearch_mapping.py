"""How a generation is kept in Elasticsearch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

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

STAMPS: dict[str, Any] = {
    "settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"},
    "mappings": {"dynamic": "strict", "properties": {"stamp": {"type": "keyword", "index": False}}},
}
"""The index of the stamps, a document a generation: in a mapping, each change would cost all its fields."""

_TOKENS = {
    "type": "text",
    "analyzer": "whitespace",  # the tokens are made by our analyser; they only need to be told apart
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

    `beside` are fields that are kept for another search over the same pairs. Those of `courses` are made at
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
