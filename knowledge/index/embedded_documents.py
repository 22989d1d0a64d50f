"""The documents of the embedded index: the schema of tantivy, and how pairs are written and read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import tantivy
from tantivy import DocAddress, Query, Searcher

from knowledge.index import STALE_SHARE
from knowledge.index.faults import check_stale, damaged
from knowledge.index.tokens import FIELDS, group, pair_from_json, pair_to_json, token_fields
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair

META = "meta.json"
"""Names the files of the newest commit of a folder; tantivy replaces it in one atomic step."""
WRITER_BYTES = 256_000_000
"""Memory of a build before it writes a segment; a build that never reaches it is one segment, which
is searched fastest."""
_UPDATE_BYTES = 15_000_000
_REWRITTEN = 10_000
"""A course of no more pairs is rewritten where too many are stale; a larger one asks for a rebuild."""


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
    return pair_from_json(searcher.doc(address).get_first("pair"))


def first_tokens(searcher: Searcher, address: DocAddress) -> dict[str, str]:
    """By field, one token that the document holds."""
    kept = json.loads(bytes(searcher.doc(address).get_first("first_tokens")))
    return dict(zip(FIELDS, kept, strict=True))


def all_pairs(searcher: Searcher, most: int | None = None) -> Iterator[QAPair]:
    """The pairs that are kept, or so many of them."""
    limit = searcher.num_docs if most is None else min(searcher.num_docs, most)
    hits = searcher.search(Query.all_query(), limit=limit, count=False).hits if limit > 0 else ()
    return (read_pair(searcher, address) for _, address in hits)


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
            writer.add_document(to_document(pair, analyser))
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
    writer = index.writer(heap_size=_UPDATE_BYTES, num_threads=1)
    try:
        # a killed process may have left files of the very names that this commit takes
        writer.garbage_collect_files()
        if stale > most:
            writer.delete_all_documents()
            put = [*(pair for pair in all_pairs(searcher) if pair.id not in gone), *put]
        else:
            for id in found:
                writer.delete_documents_by_term("id", id)
        for pair in put:
            writer.add_document(to_document(pair, analyser))
        writer.commit()
    finally:
        writer.wait_merging_threads()  # what was not committed is given up with the writer


def _stale_pairs(folder: Path) -> int:
    """The number of deleted pairs that are still in the files, and so in the statistics."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    return sum(segment["deletes"]["num_deleted_docs"] for segment in meta["segments"] if segment["deletes"])
