"""A course as a file: all of it that is no person's, written alike each time and read piece by piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

from pydantic import ValidationError

from services.archive.zipped import MANIFEST, Archive, new_file, open_archive, write_lines, write_manifest
from services.courses.records import (
    COURSE,
    DOCUMENTS,
    EDITS,
    FAQ,
    MEMBERS,
    ConceptLine,
    CourseFileCounts,
    CourseFileLine,
    CourseLine,
    CourseManifest,
    DocumentHead,
    DocumentLine,
    EdgeLine,
    EditLine,
    EntryLine,
    Ids,
    PairLine,
)
from services.courses.settings_store import CourseSettings, Embedding, clean_settings
from services.courses.transfer import CourseContent, KeptEntry
from vta.errors import InvalidInput
from vta.faq import bare, clean_draft
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge, RecordedEdit
from vta.types.courses import Course, CourseId, PairId
from vta.types.documents import CourseDocument
from vta.types.faq import FaqDraft
from vta.types.pairs import QAPair

LARGEST_COURSE = 8_000_000_000
"""Bytes of all members, unpacked."""
LARGEST_DOCUMENT = 500_000_000
"""Bytes of the lines of one document, which is held in memory."""


class CourseFile:
    """The content of an archive, as `CourseContent` of the store. Its faults name member and line."""

    def __init__(self, archive: Archive[CourseManifest], *, as_id: CourseId | None) -> None:
        self._archive = archive
        members = archive.manifest.members
        if set(members) != set(MEMBERS):
            raise archive.fault(MANIFEST, Fault("course_file.members", names=", ".join(MEMBERS)))
        if sum(each.size for each in members.values()) > LARGEST_COURSE:
            raise archive.fault(MANIFEST, Fault("course_file.members_size", most=LARGEST_COURSE))
        self.counts: CourseFileCounts = archive.manifest.counts
        settings = self._read_settings()
        self._ids = Ids(course=as_id or CourseId(settings.id), renamed=(as_id or settings.id) != settings.id)
        try:
            cleaned = clean_settings(settings.to(CourseSettings))
            self.course: Course = settings.to(Course, id=self._ids.course, refusal=cleaned.refusal)
            self.embedding = Embedding(
                **{each.name: getattr(cleaned, each.name) for each in fields(Embedding)}
            )
        except InvalidInput as error:
            raise archive.fault(COURSE, error.fault, 1) from error

    def documents(self) -> Iterator[CourseDocument]:
        counted = dict.fromkeys(("documents", "pairs", "concepts", "edges"), 0)
        size, head = 0, None
        pairs, off, concepts, edges = list[QAPair](), list[PairId](), list[Concept](), list[ConceptEdge]()
        for number, length, line in self._archive.records(DocumentLine, DOCUMENTS):
            counted[f"{line.kind}s"] += 1
            size += length
            if line.document:
                if head:
                    yield _document(head, pairs, off, concepts, edges)
                size, head = 0, line.document
                pairs, off, concepts, edges = [], [], [], []
            elif head is None:
                raise self._archive.fault(DOCUMENTS, Fault("course_file.no_document"), number)
            elif size > LARGEST_DOCUMENT:
                reason = Fault("course_file.document_too_large", document=head.path, most=LARGEST_DOCUMENT)
                raise self._archive.fault(DOCUMENTS, reason, number)
            elif line.pair:
                pairs.append(self._pair(line.pair))
                if line.pair.off:
                    off.append(pairs[-1].id)
            elif line.concept:
                concepts.append(self._concept(line.concept))
            elif line.edge:
                edges.append(self._edge(line.edge))
        if head:
            yield _document(head, pairs, off, concepts, edges)
        self._check_counts(DOCUMENTS, counted)

    def entries(self) -> Iterator[KeptEntry]:
        asked: dict[str, int] = {}
        number = 0
        for number, _, record in self._archive.records(EntryLine, FAQ):
            draft = self._clean(record, number)
            before = asked.setdefault(bare(draft.question), number)
            if before != number:
                raise self._archive.fault(FAQ, Fault("course_file.same_question", line=before), number)
            yield KeptEntry(id=self._ids.entry(record.id), draft=draft, created_at=record.created_at)
        self._check_counts(FAQ, {"faq_entries": number})

    def edits(self) -> Iterator[RecordedEdit]:
        number, last = 0, 0
        for number, _, record in self._archive.records(EditLine, EDITS):
            if record.number <= last:
                reason = Fault("course_file.edit_order", number=record.number, last=last)
                raise self._archive.fault(EDITS, reason, number)
            last = record.number
            yield record.to(RecordedEdit, course_id=self._ids.course)
        self._check_counts(EDITS, {"graph_edits": number})

    def _read_settings(self) -> CourseLine:
        lines = [record for _, _, record in self._archive.records(CourseLine, COURSE)]
        if len(lines) != 1:
            raise self._archive.fault(COURSE, Fault("course_file.one_line", count=len(lines)))
        if lines[0].id != (course := self._archive.manifest.course):
            raise self._archive.fault(
                COURSE, Fault("course_file.other_course", course=lines[0].id, wanted=course)
            )
        return lines[0]

    def _clean(self, record: EntryLine, number: int) -> FaqDraft:
        try:
            return clean_draft(record.to(FaqDraft))
        except InvalidInput as error:
            raise self._archive.fault(FAQ, error.fault, number) from error

    def _check_counts(self, name: str, counted: dict[str, int]) -> None:
        declared = self.counts.model_dump()
        for what, count in counted.items():
            if declared[what] != count:
                reason = Fault("course_file.count", count=count, what=what, declared=declared[what])
                raise self._archive.fault(name, reason)

    def _pair(self, line: PairLine) -> QAPair:
        return line.to(QAPair, id=self._ids.pair(line.id), course_id=self._ids.course)

    def _concept(self, line: ConceptLine) -> Concept:
        courses = (self._ids.course,)
        return line.to(Concept, id=self._ids.concept(line.key), courses=courses)

    def _edge(self, line: EdgeLine) -> ConceptEdge:
        before, after = self._ids.concept(line.prerequisite), self._ids.concept(line.concept)
        return line.to(ConceptEdge, prerequisite=before, concept=after)


def _document(
    head: DocumentHead,
    pairs: list[QAPair],
    off: list[PairId],
    concepts: list[Concept],
    edges: list[ConceptEdge],
) -> CourseDocument:
    held = {"pairs": tuple(pairs), "off": tuple(off), "concepts": tuple(concepts), "edges": tuple(edges)}
    return head.to(CourseDocument, **held)


@contextmanager
def open_course(path: Path, *, as_id: CourseId | None = None) -> Iterator[CourseFile]:
    """The course of a file, under its own id or another one; `InvalidInput` where it is no course file."""
    with open_archive(path, CourseManifest) as archive:
        yield CourseFile(archive, as_id=as_id)


def save_course(content: CourseContent, path: Path) -> CourseFileCounts:
    """Write a course into a new file, whole or not at all; `Conflict` where there is one already."""
    with new_file(path) as file:
        return write_course(content, file)


def write_course(content: CourseContent, file: BinaryIO) -> CourseFileCounts:
    """Write a course as a zip, a line of it in memory at a time, and say how much it holds.

    `InvalidInput` where the course holds what a course file cannot, such as a pair of a foreign id.
    """
    counted: Counter[str] = Counter()
    ids = Ids(course=content.course.id)
    lines = {
        COURSE: iter([CourseLine.of(content.course, **asdict(content.embedding))]),
        DOCUMENTS: _document_lines(content, ids, counted),
        FAQ: _counting(
            (EntryLine.of(each.draft, id=each.id, created_at=each.created_at) for each in content.entries()),
            "faq_entries",
            counted,
        ),
        EDITS: _counting((EditLine.of(each) for each in content.edits()), "graph_edits", counted),
    }
    with ZipFile(file, "w") as archive:
        try:
            members = {
                name: write_lines(archive, name, (line.text() for line in each))
                for name, each in lines.items()
            }
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}: {first['input']!r}"
            raise InvalidInput(Fault("course_file.not_written", reason=reason)) from error
        counts = CourseFileCounts(**counted)
        manifest = CourseManifest(
            format=CourseManifest.form,
            version=CourseManifest.newest,
            course=content.course.id,
            counts=counts,
            members=members,
        )
        write_manifest(archive, manifest)
    return counts


def _document_lines(content: CourseContent, ids: Ids, counted: Counter[str]) -> Iterator[CourseFileLine]:
    for document in content.documents():
        counted["documents"] += 1
        counted["pairs"] += len(document.pairs)
        counted["concepts"] += len(document.concepts)
        counted["edges"] += len(document.edges)
        yield DocumentLine(document=DocumentHead.of(document))
        off = set(document.off)
        for pair in document.pairs:
            yield DocumentLine(pair=PairLine.of(pair, off=pair.id in off))
        for concept in document.concepts:
            yield DocumentLine(concept=ConceptLine.of(concept, key=ids.key(concept.id)))
        for edge in document.edges:
            yield DocumentLine(edge=_edge_line(edge, ids))


def _edge_line(edge: ConceptEdge, ids: Ids) -> EdgeLine:
    return EdgeLine.of(edge, prerequisite=ids.key(edge.prerequisite), concept=ids.key(edge.concept))


def _counting(
    records: Iterable[CourseFileLine], name: str, counted: Counter[str]
) -> Iterator[CourseFileLine]:
    for record in records:
        counted[name] += 1
        yield record
