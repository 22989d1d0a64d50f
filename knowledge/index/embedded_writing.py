"""What is written of the embedded index: its schema, a whole build, and one commit on top of one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from pathlib import Path

import tantivy

from knowledge.index.embedded_scratch import written_beside
from knowledge.index.embedded_search import ADDED, group_number, id_number
from knowledge.index.faults import check_stale, damaged
from knowledge.index.payload import pair_to_json
from knowledge.index.tokens import FIELDS, group, token_fields
from vta.text import Analyser
from vta.types import PairId, QAPair

WRITER_BYTES = 256_000_000
"""What a build may hold in memory before it writes a segment; one that never reaches it is one segment, which
is searched fastest."""
_UPDATE_BYTES = 15_000_000
_BYTES_A_CHARACTER, _LEAST = 20, 100
"""More than a pair takes in the index, of which the least is that of so many characters."""


def open_index(folder: Path) -> tantivy.Index:
    """The index of a folder, without the thread that would watch the folder (and lock it while it goes)."""
    index = tantivy.Index(_schema(), path=str(folder), reuse=True)
    index.config_reader("manual")
    return index


def build(folder: Path, pairs: Iterable[QAPair], analyser: Analyser) -> int:
    """Write an index of all pairs into an empty folder; returns their number."""
    index = open_index(folder)
    writer = index.writer(heap_size=WRITER_BYTES, num_threads=1)
    count = 0
    try:
        for pair in pairs:
            writer.add_document(_document(pair, analyser))
            count += 1
        writer.commit()
    finally:
        writer.wait_merging_threads()  # nothing writes to the folder any more, so it can be removed
    return count


def change(folder: Path, put: Collection[QAPair], remove: Collection[PairId], analyser: Analyser) -> None:
    """One commit that deletes by id and adds, or nothing. `NotReady` for an index that is damaged."""
    documents = [_document(pair, analyser) for pair in put]
    for document in documents:
        document.add_text("group", ADDED)
    gone = {*remove, *(pair.id for pair in put)}
    room = _BYTES_A_CHARACTER * sum(len(pair.question) + len(pair.answer) + _LEAST for pair in put)
    with written_beside(folder, room=room) as scratch:
        try:
            index = open_index(scratch)
            searcher = index.searcher()
        except (OSError, ValueError) as error:
            raise damaged() from error
        found = sum(searcher.doc_freq("id", id) > 0 for id in gone)
        check_stale(_stale_pairs(scratch) + found, searcher.num_docs)
        writer = index.writer(heap_size=_UPDATE_BYTES, num_threads=1)
        try:
            for id in gone:
                writer.delete_documents_by_term("id", id)
            for document in documents:
                writer.add_document(document)
            writer.commit()
        finally:
            writer.wait_merging_threads()  # what was not committed is given up with the writer


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_bytes_field("pair", stored=True)
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("group", tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("group_number", fast=True)
    builder.add_unsigned_field("id_number", fast=True)
    for field in FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _stale_pairs(folder: Path) -> int:
    """How many deleted pairs are still in the files, and so in the statistics."""
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return sum(segment["deletes"]["num_deleted_docs"] for segment in meta["segments"] if segment["deletes"])


def _document(pair: QAPair, analyser: Analyser) -> tantivy.Document:
    fields = token_fields(pair, analyser)
    document = tantivy.Document()
    document.add_bytes("pair", pair_to_json(pair).encode())
    document.add_text("id", pair.id)
    name = group(pair.source, pair.course_id)
    document.add_text("group", name)
    document.add_unsigned("group_number", group_number(name))
    document.add_unsigned("id_number", id_number(pair.id))
    for field, tokens in fields.items():
        document.add_text(field, " ".join(tokens))
    return document
