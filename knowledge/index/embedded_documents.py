"""The stored form of a pair in the embedded index: the schema of tantivy and its documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import tantivy
from tantivy import DocAddress, Query, Searcher

from knowledge.index.payload import pair_from_json, pair_to_json
from knowledge.index.tokens import FIELDS, group, token_fields
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair

META = "meta.json"
"""Names the files of the newest commit of a folder; tantivy replaces it in one atomic step."""


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("pair", stored=True)
    builder.add_bytes_field("first_tokens", stored=True)
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("group", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("id_number", fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


SCHEMA = _schema()


def open_index(folder: Path) -> tantivy.Index:
    """The index of a folder, without the thread that would watch the folder (and lock it while it goes)."""
    index = tantivy.Index(SCHEMA, path=str(folder), reuse=True)
    index.config_reader("manual")
    return index


def part_name(course_id: CourseId) -> str:
    """The folder of a course in a generation."""
    return hashlib.sha256(course_id.encode()).hexdigest()[:16]


def to_document(pair: QAPair, analyser: Analyser) -> tantivy.Document:
    """The document of a pair."""
    fields = token_fields(pair, analyser)
    document = tantivy.Document()
    document.add_bytes("pair", pair_to_json(pair).encode())
    document.add_bytes("first_tokens", json.dumps([tokens[0] for tokens in fields.values()]).encode())
    document.add_text("id", pair.id)
    document.add_text("group", group(pair.source, pair.course_id))
    document.add_unsigned("id_number", id_number(pair.id))
    for field, tokens in fields.items():
        document.add_text(field, " ".join(tokens))
    return document


def id_number(id: PairId) -> int:
    """The first eight bytes of an id as a number: in the order of the ids, equal where they begin alike."""
    return int.from_bytes(id.encode()[:8].ljust(8, b"\0"))


def read_pair(searcher: Searcher, address: DocAddress) -> QAPair:
    """The pair of a document."""
    return pair_from_json(bytes(searcher.doc(address).get_first("pair")).decode())


def first_tokens(searcher: Searcher, address: DocAddress) -> dict[str, str]:
    """By field, one token that the document holds."""
    kept = json.loads(bytes(searcher.doc(address).get_first("first_tokens")))
    return dict(zip(FIELDS, kept, strict=True))


def all_pairs(searcher: Searcher, most: int | None = None) -> Iterator[QAPair]:
    """The pairs that are kept, or so many of them."""
    limit = searcher.num_docs if most is None else min(searcher.num_docs, most)
    hits = searcher.search(Query.all_query(), limit=limit, count=False).hits if limit > 0 else ()
    return (read_pair(searcher, address) for _, address in hits)
