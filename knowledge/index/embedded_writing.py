"""What is written of the embedded index: its schema, a whole build, and one commit on top of one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import tantivy

from knowledge.index.embedded_scratch import META, written_beside
from knowledge.index.embedded_search import ADDED, all_pairs, group_number, id_number
from knowledge.index.faults import check_stale, damaged
from knowledge.index.payload import pair_to_json
from knowledge.index.tokens import FIELDS, group, token_fields
from vta.ports import STALE_SHARE
from vta.text import Analyser
from vta.types import CourseId, PairId, QAPair

WRITER_BYTES = 256_000_000
"""What a build may hold in memory before it writes a segment; one that never reaches it is one segment, which
is searched fastest."""
_UPDATE_BYTES = 15_000_000
_REWRITTEN = 10_000
"""A course of no more pairs is written anew where too many are stale; a larger one asks for a rebuild."""
_BYTES_A_CHARACTER, _LEAST = 20, 100
"""More than a pair takes in the index, of which the least is that of so many characters."""


def open_index(folder: Path) -> tantivy.Index:
    """The index of a folder, without the thread that would watch the folder (and lock it while it goes)."""
    index = tantivy.Index(_schema(), path=str(folder), reuse=True)
    index.config_reader("manual")
    return index


def part_name(course_id: CourseId) -> str:
    """The folder of a course in a generation."""
    return hashlib.sha256(course_id.encode()).hexdigest()[:16]


def build(folder: Path, pairs: Iterable[QAPair], analyser: Analyser) -> int:
    """Write pairs into an empty generation, best those of a course together; returns their number."""
    count = 0
    for course_id, of_course in groupby(pairs, key=attrgetter("course_id")):
        part = folder / part_name(course_id)
        part.mkdir(exist_ok=True)
        count += _fill(part, of_course, analyser)
    return count


def _fill(folder: Path, pairs: Iterable[QAPair], analyser: Analyser) -> int:
    writer = open_index(folder).writer(heap_size=WRITER_BYTES, num_threads=1)
    count = 0
    try:
        for pair in pairs:
            writer.add_document(_document(pair, analyser))
            count += 1
        writer.commit()
    finally:
        writer.wait_merging_threads()  # nothing writes to the folder any more, so it can be removed
    return count


def change(
    folder: Path, put: Collection[QAPair], remove: Mapping[PairId, CourseId], analyser: Analyser
) -> None:
    """A commit that deletes by id and adds in each part concerned. `NotReady` for one that is damaged."""
    added: dict[CourseId, list[QAPair]] = {}
    for pair in put:
        added.setdefault(pair.course_id, []).append(pair)
    gone: dict[CourseId, list[PairId]] = {}
    for id, course_id in remove.items():
        gone.setdefault(course_id, []).append(id)
    for course_id in sorted(added.keys() | gone.keys()):
        part, pairs = folder / part_name(course_id), added.get(course_id, ())
        if (part / META).exists():
            _change_part(part, pairs, gone.get(course_id, ()), analyser)
        elif part.exists():
            raise damaged()
        elif pairs:
            build(folder, pairs, analyser)


def _change_part(
    folder: Path, put: Collection[QAPair], remove: Collection[PairId], analyser: Analyser
) -> None:
    gone = {*remove, *(pair.id for pair in put)}
    try:
        index = open_index(folder)
        searcher = index.searcher()
    except (OSError, ValueError) as error:
        raise damaged() from error
    found = {id for id in gone if searcher.doc_freq("id", id) > 0}
    if not put and not found:
        return
    stale, most = _stale_pairs(folder) + len(found), STALE_SHARE * searcher.num_docs
    if searcher.num_docs > _REWRITTEN:
        check_stale(stale, searcher.num_docs)
    is_anew = stale > most
    kept = [pair for pair in all_pairs(searcher) if pair.id not in gone] if is_anew else []
    documents = [_document(pair, analyser) for pair in (*kept, *put)]
    for document in () if is_anew else documents:
        document.add_text("group", ADDED)
    written = (*kept, *put)
    room = _BYTES_A_CHARACTER * sum(len(pair.question) + len(pair.answer) + _LEAST for pair in written)
    with written_beside(folder, room=room) as scratch:
        writer = open_index(scratch).writer(heap_size=_UPDATE_BYTES, num_threads=1)
        try:
            if is_anew:
                writer.delete_all_documents()
            else:
                for id in found:
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
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
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
