"""The path of one document: read, split, stored in one transaction; index and graph follow the store."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from time import perf_counter

from vta.errors import InvalidInput
from vta.faults import Fault
from vta.ingest.files import FoundFile, digest, find_files, opened
from vta.ingest.repetition import RepeatedLines
from vta.languages import Language
from vta.places import document_name
from vta.ports import DocumentReader, DocumentStore
from vta.prefetch import prefetch
from vta.types.answers import Rejection
from vta.types.courses import Course
from vta.types.documents import CourseDocument, DocumentState

Progress = Callable[[int, int], None]
IN_MEMORY = 16_000_000
"""Bytes of documents; with more they go to a file without a name that goes with its last handle."""
_AT_ONCE = 2
"""Files that are read at the same time, as many as there are children that read them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """Documents by what happened to them, the pairs the course has gained, and the time it took.

    `replaced` are those of `added` that were stored before; `passages` counts the pairs of each added one;
    `passed_over` are the files of folders and ZIPs that no reader reads.
    """

    added: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    passages: Mapping[str, int] = field(default_factory=dict)
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    passed_over: tuple[str, ...] = ()
    pairs: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedDocuments:
    """The documents without repeated lines, as often as they are iterated.

    Subtitles are called by the title of the notes of the same name; `titles` are by `lecture_key`.
    """

    documents: Iterable[CourseDocument]
    lines: RepeatedLines
    titles: Mapping[str, str]
    language: Language

    def __iter__(self) -> Iterator[CourseDocument]:
        repeated = self.lines.repeated()
        for document in self.documents:
            title = self.titles.get(lecture_key(document.path))
            named = self._named(document, title) if title and is_speech(document) else document
            yield self.lines.without(named, repeated)

    def _named(self, document: CourseDocument, title: str) -> CourseDocument:
        name = document_name(document.path, self.language, title)
        return replace(document, pairs=tuple(replace(pair, question=name) for pair in document.pairs))


def ingest(
    roots: Sequence[Path],
    *,
    course: Course,
    readers: Sequence[DocumentReader],
    documents: DocumentStore,
    progress: Progress = lambda done, total: None,
    base: Path | None = None,
    remove: Sequence[str] = (),
    release_at: Mapping[str, datetime] | None = None,
) -> IngestReport:
    """Read files and folders (recursively) into a course, in one transaction.

    A file is known by its path relative to the folder given, a single one by its path inside `base`, else by
    its name. Unchanged files (by content hash) are skipped; files that vanished from a folder of the same
    name, and those to `remove`, are removed. Faulty files, copies of another file, and files that would
    replace one of another folder are rejected, and their stored versions stay. Repeated first and last lines
    are left out, and subtitles get the title of their notes. A path in `release_at` waits until then.
    `InvalidInput` for a path that does not exist, or where no file is of a known kind.
    """
    start = perf_counter()
    found_files, passed_over = find_files(roots, readers, base=base)
    stored = documents.states(course.id)
    present = {found.path for found in found_files}
    gone = sorted({*_gone(roots, stored, present), *(stored.keys() & set(remove) - present)})
    hashes = _hashes(found_files)
    same = _repeated(hashes, {path: state.sha256 for path, state in stored.items() if path not in gone})
    files = [found for found in found_files if found.path not in same]
    rejected = [_rejection(path, Fault("file.same", other=_printable(other))) for path, other in same.items()]
    unchanged: list[str] = []

    def read(found: FoundFile) -> CourseDocument | None:
        document = _read(found, stored.get(found.path), hashes.get(found.path, ""), course)
        later = (release_at or {}).get(found.path)
        if document is None or later is None:
            return document
        return replace(document, release_at=max(later, document.release_at or later))

    with closing(Spool()) as changed:
        reading = prefetch(read, files, threads=_AT_ONCE)
        for done, (found, reads) in enumerate(zip(files, reading, strict=True)):
            progress(done, len(files))
            try:
                document = reads.result()
            except InvalidInput as error:
                rejected.append(Rejection(path=_printable(found.path), fault=error.fault, line=error.line))
                continue
            if document is None:
                unchanged.append(found.path)
                continue
            changed.add(document)
            rejected.extend(document.rejected)
        progress(len(files), len(files))
        cleaned = _cleaned(changed, files, course)
        added = {document.path: len(document.pairs) for document in cleaned}
        if added or gone:
            documents.apply(course.id, put=cleaned, remove=gone)
    return IngestReport(
        added=tuple(added),
        replaced=tuple(path for path in added if path in stored),
        passages=added,
        unchanged=tuple(unchanged),
        removed=tuple(gone),
        rejected=tuple(rejected),
        passed_over=passed_over,
        pairs=sum(added.values()),
        seconds=round(perf_counter() - start, 3),
    )


def _rejection(path: str, fault: Fault) -> Rejection:
    return Rejection(path=_printable(path), fault=fault.at(_printable(path)))


def _hashes(files: Iterable[FoundFile]) -> dict[str, str]:
    """The SHA-256 of each file that can be opened, by path."""
    hashes = {}
    for found in files:
        with suppress(InvalidInput), opened(found) as file:
            hashes[found.path] = digest(file)
    return hashes


def _repeated(hashes: Mapping[str, str], stored: Mapping[str, str]) -> dict[str, str]:
    """New files with the content of another, each with the path of that one: it is stored, or comes first."""
    first = {sha256: path for path, sha256 in stored.items() if hashes.get(path, sha256) == sha256}
    return {
        path: first[sha256]
        for path, sha256 in hashes.items()
        if first.setdefault(sha256, path) != path and path not in stored
    }


def _cleaned(changed: Spool, files: Sequence[FoundFile], course: Course) -> CleanedDocuments:
    """The documents without repeated lines, and subtitles under the titles of their notes, new or not."""
    titles: dict[str, str] = {}
    spoken: set[str] = set()
    read: set[str] = set()
    repeated = RepeatedLines()
    for document in changed:
        read.add(document.path)
        repeated.add(document)
        if is_speech(document):
            spoken.add(lecture_key(document.path))
        elif document.title:
            titles[lecture_key(document.path)] = document.title
    notes = [found for found in files if lecture_key(found.path) in spoken - set(titles)]
    titles |= _titles([found for found in notes if found.path not in read], course)
    return CleanedDocuments(documents=changed, lines=repeated, titles=titles, language=course.language)


def _titles(notes: Sequence[FoundFile], course: Course) -> dict[str, str]:
    """Titles of notes that stay as they are and belong to new subtitles, by `lecture_key`."""
    titles = {}
    for found in notes:
        with suppress(InvalidInput), opened(found) as file:
            document = found.reader.read(file, path=found.path, course=course)
            if document.title and not is_speech(document):
                titles[lecture_key(found.path)] = document.title
    return titles


def _read(
    found: FoundFile, before: DocumentState | None, sha256: str, course: Course
) -> CourseDocument | None:
    """The document in a file, or None where it is the one stored already."""
    _check_name(found.path)
    if before and _same(found, before, sha256):
        return None
    _check_owner(found, before)
    with opened(found) as file:
        document = found.reader.read(file, path=found.path, course=course)
    return replace(document, folder=found.folder or (before.folder if before else ""))


def _check_name(path: str) -> None:
    if _printable(path) != path:
        raise InvalidInput(Fault("file.name_not_utf8", name=_printable(path)))


def _printable(path: str) -> str:
    """The path with bytes that are no UTF-8 as escapes."""
    return path.encode("utf-8", errors="backslashreplace").decode()


def _same(found: FoundFile, before: DocumentState, sha256: str) -> bool:
    """Whether the stored document is this file; one that was given by itself now gets its folder."""
    return before.sha256 == sha256 and not (found.folder and not before.folder)


def _check_owner(found: FoundFile, before: DocumentState | None) -> None:
    if before and before.folder and found.folder and before.folder != found.folder:
        raise InvalidInput(Fault("file.of_another_folder", folder=before.folder).at(found.path))


def _gone(roots: Sequence[Path], stored: Mapping[str, DocumentState], present: set[str]) -> list[str]:
    """Stored paths that came from the folders given and are there no longer."""
    folders = {root.resolve().name for root in roots if root.is_dir()}
    return sorted(path for path, state in stored.items() if state.folder in folders and path not in present)


def is_speech(document: CourseDocument) -> bool:
    """Whether a document is the subtitles of one video, whose file names it."""
    first = next(iter(document.pairs), None)
    return first is not None and first.locator.video is not None and not first.locator.heading_path


def lecture_key(path: str) -> str:
    """The common key of subtitles and notes of one lecture: the file name without its ending."""
    return PurePosixPath(path).stem.casefold()


class Spool:
    """Documents in the order in which they were added; may be read any number of times until it is closed."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._starts: list[int] = []

    def add(self, document: CourseDocument) -> None:
        self._starts.append(self._file.seek(0, 2))
        pickle.dump(document, self._file, protocol=pickle.HIGHEST_PROTOCOL)

    def __iter__(self) -> Iterator[CourseDocument]:
        for start in self._starts:
            self._file.seek(start)
            yield pickle.load(self._file)  # noqa: S301  (written above, by this process)

    def close(self) -> None:
        self._file.close()
