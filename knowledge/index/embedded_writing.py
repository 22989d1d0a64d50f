"""Writes the embedded index: a whole build, and one commit on top of one."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from knowledge.index import STALE_SHARE
from knowledge.index.embedded_documents import META, all_pairs, open_index, part_name, to_document
from knowledge.index.faults import check_stale, damaged
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import QAPair

WRITER_BYTES = 256_000_000
"""Memory of a build before it writes a segment; a build that never reaches it is one segment, which
is searched fastest."""
_UPDATE_BYTES = 15_000_000
_REWRITTEN = 10_000
"""A course of no more pairs is rewritten where too many are stale; a larger one asks for a rebuild."""


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
