"""The path of one document: read, split, stored in one transaction; index and graph follow the store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

from vta.errors import InvalidInput
from vta.ingest.report import IngestReport, Rejection
from vta.ports import DocumentReader, DocumentStore
from vta.types import Course, CourseDocument, DocumentState

LARGEST_FILE = 50_000_000
"""Bytes."""

Progress = Callable[[int, int], None]


def ingest(
    roots: Sequence[Path],
    *,
    course: Course,
    readers: Sequence[DocumentReader],
    documents: DocumentStore,
    progress: Progress = lambda done, total: None,
) -> IngestReport:
    """Read files and folders (recursively) into a course.

    A file is known by its path relative to the folder given. Unchanged files (by content hash) are skipped,
    files that have gone from a folder ingested before under the same name are removed. Faulty files are
    rejected with their reason and leave what was stored before as it was, and so are files that would replace
    one of another folder. Everything is stored in one transaction: all of it or nothing.
    Raises `InvalidInput` for a path that does not exist or where no file is of a known kind.
    """
    start = perf_counter()
    files = list(_files(roots, readers))
    stored = documents.states(course.id)
    changed: list[CourseDocument] = []
    unchanged: list[str] = []
    rejected: list[Rejection] = []
    for done, found in enumerate(files):
        progress(done, len(files))
        path, before = found.path, stored.get(found.path)
        try:
            _check_name(path)
            data = _bytes(found)
            if before and _same(found, before, hashlib.sha256(data).hexdigest()):
                unchanged.append(path)
                continue
            _check_owner(found, before)
            document = found.reader.read(data, path=path, course=course)
            changed.append(replace(document, folder=found.folder or (before.folder if before else "")))
        except InvalidInput as fault:
            rejected.append(Rejection(path=_printable(path), reason=fault.message, line=fault.line))
    progress(len(files), len(files))
    gone = _gone(roots, stored, {found.path for found in files})
    if changed or gone:
        documents.apply(course.id, put=changed, remove=gone)
    return IngestReport(
        added=tuple(document.path for document in changed),
        unchanged=tuple(unchanged),
        removed=tuple(gone),
        rejected=tuple(rejected),
        pairs=sum(len(document.pairs) for document in changed),
        seconds=round(perf_counter() - start, 3),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    path: str
    file: Path
    folder: str
    reader: DocumentReader


def _files(roots: Sequence[Path], readers: Sequence[DocumentReader]) -> Iterator[_Found]:
    """Each file of a known kind, sorted by its path inside the root."""
    found: dict[str, _Found] = {}
    for root in roots:
        if not root.exists():
            raise InvalidInput(f"{root}: no such file or folder", path=str(root))
        for path, file, folder in _walk(root):
            reader = next((reader for reader in readers if reader.handles(path)), None)
            if reader is None:
                if root.is_file():
                    raise InvalidInput(f"{root}: no reader for this kind of file", path=str(root))
                continue
            if path in found:
                message = f"{path}: given twice, as {found[path].file} and {file}; give their common folder"
                raise InvalidInput(message, path=path)
            found[path] = _Found(path, file, folder, reader)
    if not found:
        raise InvalidInput(f"{', '.join(map(str, roots))}: holds no file of a known kind")
    yield from (found[path] for path in sorted(found))


def _walk(root: Path) -> Iterator[tuple[str, Path, str]]:
    if root.is_file():
        yield root.name, root, ""
        return
    for file in sorted(root.rglob("*")):
        inside = file.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts)
        if file.is_file() and not hidden and file.resolve().is_relative_to(root.resolve()):
            yield inside.as_posix(), file, root.resolve().name


def _check_name(path: str) -> None:
    if _printable(path) != path:
        raise InvalidInput(f"{_printable(path)}: the file name is not UTF-8; rename the file")


def _printable(path: str) -> str:
    """The path with bytes that are no UTF-8 as escapes."""
    return path.encode("utf-8", errors="backslashreplace").decode()


def _bytes(found: _Found) -> bytes:
    try:
        size = found.file.stat().st_size
        if size > LARGEST_FILE:
            message = f"{found.path}: has {size} bytes; at most {LARGEST_FILE} are read"
            raise InvalidInput(message, path=found.path)
        return found.file.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{found.path}: cannot be read: {error.strerror}", path=found.path) from error


def _same(found: _Found, before: DocumentState, sha256: str) -> bool:
    """Whether the stored document is this file; one that was given by itself now gets its folder."""
    return before.sha256 == sha256 and not (found.folder and not before.folder)


def _check_owner(found: _Found, before: DocumentState | None) -> None:
    if before and before.folder and found.folder and before.folder != found.folder:
        message = (
            f"{found.path}: the folder {before.folder!r} gave a document of this path already; "
            "ingest the folder that holds both"
        )
        raise InvalidInput(message, path=found.path)


def _gone(roots: Sequence[Path], stored: Mapping[str, DocumentState], present: set[str]) -> list[str]:
    """Stored paths that came from the folders given and are there no longer."""
    folders = {root.resolve().name for root in roots if root.is_dir()}
    return sorted(path for path, state in stored.items() if state.folder in folders and path not in present)
