"""Reads a course file, a document at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from services.course_file.archive import CourseArchive
from services.course_file.document_records import DocumentLine
from services.course_file.form import COURSE, DOCUMENTS, EDITS, FAQ, Counts, Ids
from services.course_file.records import CourseRecord, EditRecord, EntryRecord
from services.storage.course_settings import Embedding, clean_origins
from services.storage.course_transfer import KeptEntry
from vta.errors import InvalidInput
from vta.faq import bare, clean_draft
from vta.faults import Fault
from vta.types import (
    Concept,
    ConceptEdge,
    Course,
    CourseDocument,
    CourseId,
    FaqDraft,
    PairId,
    QAPair,
    RecordedEdit,
)

LARGEST_DOCUMENT = 500_000_000
"""Bytes of the lines of one document, which is held in memory."""


class CourseFile:
    """The content of an archive, as `CourseContent` of the store. Its faults name member and line."""

    def __init__(self, archive: CourseArchive, *, as_id: CourseId | None) -> None:
        self._archive = archive
        self.counts: Counts = archive.manifest.counts
        settings = self._read_settings()
        self.course: Course = settings.course(as_id or CourseId(settings.id))
        self._ids = Ids(course=self.course.id, renamed=self.course.id != settings.id)
        try:
            self.embedding = Embedding(origins=clean_origins(settings.origins), hints=settings.hints)
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
                    yield head.document(pairs=pairs, off=off, concepts=concepts, edges=edges)
                size, head = 0, line.document
                pairs, off, concepts, edges = [], [], [], []
            elif head is None:
                raise self._archive.fault(DOCUMENTS, Fault("course_file.no_document"), number)
            elif size > LARGEST_DOCUMENT:
                reason = Fault("course_file.document_too_large", document=head.path, most=LARGEST_DOCUMENT)
                raise self._archive.fault(DOCUMENTS, reason, number)
            elif line.pair:
                pairs.append(line.pair.pair(self._ids))
                if line.pair.off:
                    off.append(pairs[-1].id)
            elif line.concept:
                concepts.append(line.concept.concept(self._ids))
            elif line.edge:
                edges.append(line.edge.edge(self._ids))
        if head:
            yield head.document(pairs=pairs, off=off, concepts=concepts, edges=edges)
        self._check_counts(DOCUMENTS, counted)

    def entries(self) -> Iterator[KeptEntry]:
        asked: dict[str, int] = {}
        number = 0
        for number, _, record in self._archive.records(EntryRecord, FAQ):
            draft = self._clean(record, number)
            before = asked.setdefault(bare(draft.question), number)
            if before != number:
                raise self._archive.fault(FAQ, Fault("course_file.same_question", line=before), number)
            yield KeptEntry(id=self._ids.entry(record.id), draft=draft, created_at=record.created_at)
        self._check_counts(FAQ, {"faq_entries": number})

    def edits(self) -> Iterator[RecordedEdit]:
        number, last = 0, 0
        for number, _, record in self._archive.records(EditRecord, EDITS):
            if record.number <= last:
                reason = Fault("course_file.edit_order", number=record.number, last=last)
                raise self._archive.fault(EDITS, reason, number)
            last = record.number
            yield record.recorded(self._ids)
        self._check_counts(EDITS, {"graph_edits": number})

    def _read_settings(self) -> CourseRecord:
        lines = [record for _, _, record in self._archive.records(CourseRecord, COURSE)]
        if len(lines) != 1:
            raise self._archive.fault(COURSE, Fault("course_file.one_line", count=len(lines)))
        if lines[0].id != (course := self._archive.manifest.course):
            raise self._archive.fault(
                COURSE, Fault("course_file.other_course", course=lines[0].id, wanted=course)
            )
        return lines[0]

    def _clean(self, record: EntryRecord, number: int) -> FaqDraft:
        try:
            return clean_draft(record.draft())
        except InvalidInput as error:
            raise self._archive.fault(FAQ, error.fault, number) from error

    def _check_counts(self, name: str, counted: dict[str, int]) -> None:
        declared = self.counts.model_dump()
        for what, count in counted.items():
            if declared[what] != count:
                reason = Fault("course_file.count", count=count, what=what, declared=declared[what])
                raise self._archive.fault(name, reason)


@contextmanager
def open_course(path: Path, *, as_id: CourseId | None = None) -> Iterator[CourseFile]:
    """The course of a file, under its own id or another one; `InvalidInput` where it is no course file."""
    try:
        archive = ZipFile(path)
    except OSError as error:
        raise InvalidInput(
            Fault("course_file.unreadable", path=str(path), reason=error.strerror or ""), path=str(path)
        ) from error
    except (BadZipFile, ValueError, NotImplementedError) as error:
        fault = Fault("course_file.not_one", path=str(path), reason=str(error))
        raise InvalidInput(fault, path=str(path)) from error
    with archive:
        yield CourseFile(CourseArchive(archive, str(path)), as_id=as_id)
