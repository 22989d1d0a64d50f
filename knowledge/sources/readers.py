"""The readers of course files by kind, each a `vta.ports.DocumentReader`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from knowledge.chunking import is_titled, split
from knowledge.sources.contents import (
    LARGEST_CONTENTS,
    is_contents_file,
    read_contents_file,
    read_link_list,
    read_tree,
)
from knowledge.sources.course_export import pack_export, read_export
from knowledge.sources.decoding import decode, read_bytes, read_text_file
from knowledge.sources.faq import FaqTable, faq_pairs, rejections
from knowledge.sources.faq_tables import read_faq_csv, read_faq_jsonl, read_faq_xlsx
from knowledge.sources.markdown import read_markdown
from knowledge.sources.notebook import read_notebook
from knowledge.sources.pdf import read_pdf
from knowledge.sources.slides import read_pptx
from knowledge.sources.subtitles import read_subtitles
from knowledge.sources.text import read_text
from knowledge.sources.web_page import read_html
from knowledge.sources.word import read_docx
from knowledge.sources.workbooks import read_sheets
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.files import digest
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course
from vta.types.documents import Contents, CourseDocument, SourceDocument

FindConcepts = Callable[[SourceDocument, Course], tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]]

_TEXTS: dict[str, Callable[..., SourceDocument]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".qmd": read_markdown,
    ".rmd": read_markdown,
    ".srt": read_subtitles,
    ".vtt": read_subtitles,
    ".txt": read_text,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".ipynb": read_notebook,
}
_EXPORT_ENTRY = "course.xml"
"""The file that makes a folder an export of Open edX."""
_DOCUMENTS: dict[str, Callable[..., SourceDocument]] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".pptx": read_pptx,
    ".tar.gz": read_export,
    ".tgz": read_export,
    _EXPORT_ENTRY: read_export,
}
_FAQ: dict[str, Callable[..., FaqTable]] = {
    ".csv": read_faq_csv,
    ".jsonl": read_faq_jsonl,
    ".xlsx": read_faq_xlsx,
}


class MaterialReader:
    """Texts, subtitles, pages, office files, exports of Open edX: passages, and what `find_concepts` sees.

    Of tables of contents it reads the order of the files.
    A `vta.ports.FolderPacker` of unpacked exports, too.
    """

    def __init__(self, find_concepts: FindConcepts) -> None:
        self._find_concepts = find_concepts

    def handles(self, path: str) -> bool:
        return _kind(path) in _TEXTS or _kind(path) in _DOCUMENTS or is_contents_file(path)

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        kind, contents = _kind(path), Contents()
        if is_contents_file(path):
            text = decode(read_bytes(file, path=path, limit=LARGEST_CONTENTS), path=path)
            contents = read_contents_file(text, path=path)
            return CourseDocument(path=path, sha256=digest(file), contents=contents)
        if kind in _DOCUMENTS:
            document = _DOCUMENTS[kind](file, path=path)
        else:
            text = read_text_file(file, path=path)
            if links := read_link_list(text, path=path):
                return CourseDocument(path=path, sha256=digest(file), contents=links)
            document = _TEXTS[kind](text, path=path)
            contents = read_tree(text, path=path) if _TEXTS[kind] is read_markdown else ()
        find = self._find_concepts
        return course_document(document, file, course=course, find_concepts=find, contents=contents)

    def entry(self, folder: Path) -> str | None:
        return _EXPORT_ENTRY if (folder / _EXPORT_ENTRY).is_file() else None

    def pack(self, folder: Path) -> BinaryIO:
        return pack_export(folder)


class FaqReader:
    """FAQ tables as CSV, JSON Lines or XLSX; rows that cannot be used are left out and listed.

    A workbook whose columns are others, such as a timetable, becomes tables of the material.
    """

    def handles(self, path: str) -> bool:
        return _kind(path) in _FAQ

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        try:
            table = read_faq_table(file, path=path)
        except InvalidInput as error:
            if error.fault.code != "table.no_header" or _kind(path) != ".xlsx":
                raise
            document = read_sheets(file, path=path)
            if not document.blocks:
                raise
            return course_document(document, file, course=course, find_concepts=lambda *_: ((), ()))
        return CourseDocument(
            path=path,
            sha256=digest(file),
            pairs=faq_pairs(table, path=path, course=course),
            rejected=rejections(table, path=path),
        )


def read_faq_table(file: BinaryIO, *, path: str, sheet: str | None = None) -> FaqTable:
    """The rows of a table that `FaqReader` handles; of a workbook, those of a sheet.

    `InvalidInput` where it is no table at all, or has no such sheet.
    """
    kind = _kind(path)
    if kind == ".xlsx":
        return read_faq_xlsx(file, path=path, sheet=sheet)
    if sheet is not None:
        raise InvalidInput(Fault("table.no_sheets").at(path), field="sheet")
    return _FAQ[kind](file, path=path)


def course_document(
    document: SourceDocument,
    file: BinaryIO,
    *,
    course: Course,
    find_concepts: FindConcepts,
    contents: Contents = (),
) -> CourseDocument:
    """The document as it is stored. `InvalidInput` where it holds neither text nor contents."""
    pairs = split(document, course=course)
    if not pairs and not contents:
        raise InvalidInput(Fault("file.no_text").at(document.path))
    concepts, edges = find_concepts(document, course)
    return CourseDocument(
        path=document.path,
        sha256=digest(file),
        title=document.title if is_titled(document) else "",
        pairs=pairs,
        concepts=concepts,
        edges=edges,
        rejected=document.rejected,
        release_at=document.release_at,
        contents=contents,
    )


def _kind(path: str) -> str:
    name = PurePosixPath(path).name
    if name == _EXPORT_ENTRY:
        return name
    return ".tar.gz" if name.lower().endswith(".tar.gz") else PurePosixPath(name).suffix.lower()
