"""Writes a course file: the same course gives the same bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

from pydantic import ValidationError

from services.course_file.document_records import (
    ConceptRecord,
    DocumentLine,
    DocumentRecord,
    EdgeRecord,
    PairRecord,
)
from services.course_file.form import (
    COURSE,
    DOCUMENTS,
    EDITS,
    FAQ,
    MANIFEST,
    Counts,
    Ids,
    Manifest,
    MemberRecord,
    Record,
)
from services.course_file.members import packed, write_lines
from services.course_file.new_file import new_file
from services.course_file.records import CourseRecord, EditRecord, EntryRecord
from services.storage.course_transfer import CourseContent
from vta.errors import InvalidInput
from vta.faults import Fault


def save_course(content: CourseContent, path: Path) -> Counts:
    """Write a course into a new file, whole or not at all; `Conflict` where there is one already."""
    with new_file(path) as file:
        return write_course(content, file)


def write_course(content: CourseContent, file: BinaryIO) -> Counts:
    """Write a course as a zip, a line of it in memory at a time, and say how much it holds.

    `InvalidInput` where the course holds what a course file cannot, such as a pair of a foreign id.
    """
    counted: Counter[str] = Counter()
    ids = Ids(course=content.course.id)
    lines = {
        COURSE: iter([CourseRecord.of(content.course, content.embedding)]),
        DOCUMENTS: _document_lines(content, ids, counted),
        FAQ: _counting((EntryRecord.of(each) for each in content.entries()), "faq_entries", counted),
        EDITS: _counting((EditRecord.of(each) for each in content.edits()), "graph_edits", counted),
    }
    with ZipFile(file, "w") as archive:
        try:
            members = {name: _write_member(archive, name, records) for name, records in lines.items()}
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}: {first['input']!r}"
            raise InvalidInput(Fault("course_file.not_written", reason=reason)) from error
        counts = Counts(**counted)
        manifest = Manifest(course=content.course.id, counts=counts, members=members)
        with archive.open(packed(MANIFEST), "w") as out:
            out.write(manifest.model_dump_json(indent=1).encode() + b"\n")
    return counts


def _document_lines(content: CourseContent, ids: Ids, counted: Counter[str]) -> Iterator[Record]:
    for document in content.documents():
        counted["documents"] += 1
        counted["pairs"] += len(document.pairs)
        counted["concepts"] += len(document.concepts)
        counted["edges"] += len(document.edges)
        head = DocumentRecord(path=document.path, sha256=document.sha256, folder=document.folder)
        yield DocumentLine(document=head)
        off = set(document.off)
        for pair in document.pairs:
            yield DocumentLine(pair=PairRecord.of(pair, off=pair.id in off))
        for concept in document.concepts:
            yield DocumentLine(concept=ConceptRecord.of(concept, ids))
        for edge in document.edges:
            yield DocumentLine(edge=EdgeRecord.of(edge, ids))


def _counting(records: Iterable[Record], name: str, counted: Counter[str]) -> Iterator[Record]:
    for record in records:
        counted[name] += 1
        yield record


def _write_member(archive: ZipFile, name: str, records: Iterable[Record]) -> MemberRecord:
    written = write_lines(archive, name, (record.line() for record in records))
    return MemberRecord(size=written.size, sha256=written.sha256)
