"""The readers of course files by kind, each a `vta.ports.DocumentReader`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import PurePosixPath

from knowledge.chunking import split
from knowledge.sources.decoding import decode
from knowledge.sources.faq import read_faq_csv, read_faq_jsonl
from knowledge.sources.markdown import read_markdown
from knowledge.sources.subtitles import read_subtitles
from knowledge.sources.text import read_text
from vta.errors import InvalidInput
from vta.types import Concept, ConceptEdge, Course, CourseDocument, QAPair, SourceDocument

Parse = Callable[..., SourceDocument]
FindConcepts = Callable[[SourceDocument, Course], tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]]

_MATERIAL: dict[str, Parse] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".srt": read_subtitles,
    ".vtt": read_subtitles,
    ".txt": read_text,
}
_FAQ: dict[str, Callable[..., tuple[QAPair, ...]]] = {".csv": read_faq_csv, ".jsonl": read_faq_jsonl}


class MaterialReader:
    """Markdown, SRT, WebVTT and plain text: passages, and the concepts that `find_concepts` sees in them."""

    def __init__(self, find_concepts: FindConcepts) -> None:
        self._find_concepts = find_concepts

    def handles(self, path: str) -> bool:
        return PurePosixPath(path).suffix.lower() in _MATERIAL

    def read(self, data: bytes, *, path: str, course: Course) -> CourseDocument:
        parse = _MATERIAL[PurePosixPath(path).suffix.lower()]
        document = parse(decode(data, path=path), path=path)
        if not document.blocks:
            raise InvalidInput(f"{path}, line 1: holds no text", path=path, line=1)
        concepts, edges = self._find_concepts(document, course)
        return CourseDocument(
            path=path,
            sha256=hashlib.sha256(data).hexdigest(),
            pairs=split(document, course=course),
            concepts=concepts,
            edges=edges,
        )


class FaqReader:
    """FAQ tables as CSV or JSON Lines."""

    def handles(self, path: str) -> bool:
        return PurePosixPath(path).suffix.lower() in _FAQ

    def read(self, data: bytes, *, path: str, course: Course) -> CourseDocument:
        parse = _FAQ[PurePosixPath(path).suffix.lower()]
        pairs = parse(decode(data, path=path), path=path, course=course)
        return CourseDocument(path=path, sha256=hashlib.sha256(data).hexdigest(), pairs=pairs)
