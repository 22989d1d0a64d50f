"""The lecture of a video named by the notes that go with it: `Lecture 4, Walking downhill`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from vta.places import document_name
from vta.types import CourseDocument, Language


def is_speech(document: CourseDocument) -> bool:
    """Whether a document is the subtitles of one video, whose file names it."""
    first = next(iter(document.pairs), None)
    return first is not None and first.locator.video is not None and not first.locator.heading_path


def lecture_key(path: str) -> str:
    """What subtitles and notes of one lecture share: the name of their file without its ending."""
    return PurePosixPath(path).stem.casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLectures:
    """Documents, as often as they are asked for: subtitles under the title of the notes of the same name.

    `titles` are those of the notes, by `lecture_key`.
    """

    documents: Iterable[CourseDocument]
    titles: Mapping[str, str]
    language: Language

    def __iter__(self) -> Iterator[CourseDocument]:
        for document in self.documents:
            title = self.titles.get(lecture_key(document.path))
            yield self._named(document, title) if title and is_speech(document) else document

    def _named(self, document: CourseDocument, title: str) -> CourseDocument:
        name = document_name(document.path, self.language, title)
        return replace(document, pairs=tuple(replace(pair, question=name) for pair in document.pairs))
