"""Graphs as files: what a course imports, and the folder it exports."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from concept_graph.concept_file import LARGEST_CONCEPT_FILE, ConceptFileReader
from concept_graph.graph import require_no_cycle
from concept_graph.graphml import read_graphml
from concept_graph.headings import ConceptSet
from concept_graph.mooccubex import CourseVideo, read_mooccubex
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.ports import ConceptLinker, DocumentStore
from vta.types import ConceptId, Course, CourseDocument, QAPair

IMPORTED_GRAPH = "/graph/imported"
"""The path under which an imported graph is stored; documents have none that begins so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedGraph:
    """How many concepts and edges were taken in, and how many pairs of MOOCCubeX were left out."""

    concepts: int
    edges: int
    left_out: int


def import_graph(
    path: Path, *, course: Course, documents: DocumentStore, source: str | None = None
) -> ImportedGraph:
    """Store the graph of a file or folder, in place of the one imported before.

    The form is told by the content: a folder of MOOCCubeX or its concepts (JSON Lines), GraphML, else a
    concept file (JSON). `source` says which course of MOOCCubeX it is. `InvalidInput` names file and line or
    field of a fault, and prerequisites that run in a cycle; nothing is stored then.
    """
    (concepts, edges), left_out = _read(path, course, source)
    require_no_cycle((concepts, edges), path=str(path))
    digest = hashlib.sha256(repr((concepts, edges)).encode(errors="surrogatepass")).hexdigest()
    state = documents.states(course.id).get(IMPORTED_GRAPH)
    if state is None or state.sha256 != digest:
        document = CourseDocument(path=IMPORTED_GRAPH, sha256=digest, concepts=concepts, edges=edges)
        documents.apply(course.id, put=[document])
    return ImportedGraph(concepts=len(concepts), edges=len(edges), left_out=left_out)


def course_videos(
    passages: Iterable[QAPair], *, course: Course, linker: ConceptLinker
) -> tuple[CourseVideo, ...]:
    """The videos of the passages, in their order, with the concepts that their subtitles name."""
    lines: dict[str, list[tuple[float, float, str]]] = {}
    named: dict[str, set[ConceptId]] = {}
    for passage in passages:
        place = passage.locator
        if place.video is None or place.start_s is None:
            continue
        end_s = place.start_s if place.end_s is None else place.end_s
        lines.setdefault(place.video, []).append((place.start_s, end_s, passage.answer))
        mentions = linker.link(passage.answer, course=course)
        named.setdefault(place.video, set()).update(mention.concept.id for mention in mentions)
    return tuple(
        CourseVideo(name=video, lines=tuple(spoken), concepts=frozenset(named[video]))
        for video, spoken in lines.items()
    )


def write_folder(files: Mapping[str, str], folder: Path) -> None:
    """Write the files into a new folder, all of them or none; `Conflict` where it exists already."""
    if folder.exists():
        raise Conflict(Fault("data.folder_exists", path=str(folder)), path=str(folder))
    try:
        with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
            written = Path(beside, folder.name)
            for name, text in files.items():
                file = written / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", newline="")
            written.rename(folder)
    except OSError as error:
        raise InvalidInput(
            Fault("data.unwritable", path=str(folder), reason=error.strerror or ""), path=str(folder)
        ) from error


def _read(path: Path, course: Course, source: str | None) -> tuple[ConceptSet, int]:
    if path.is_dir():
        return read_mooccubex(path, course=course, source=source)
    try:
        with path.open("rb") as file:
            start = file.readline(LARGEST_CONCEPT_FILE + 1)
            file.seek(0)
            if _is_xml(start, path):
                return read_graphml(
                    _whole(file.read(LARGEST_CONCEPT_FILE + 1), path), path=str(path), course=course
                ), 0
            if not _is_mooccubex(start):
                document = ConceptFileReader().read(file, path=str(path), course=course)
                return (document.concepts, document.edges), 0
    except OSError as error:
        raise InvalidInput(
            Fault("data.unreadable", file=str(path), reason=error.strerror or ""), path=str(path)
        ) from error
    return read_mooccubex(path, course=course, source=source)


def _whole(data: bytes, path: Path) -> bytes:
    if len(data) > LARGEST_CONCEPT_FILE:
        raise InvalidInput(Fault("data.too_large", path=str(path), most=LARGEST_CONCEPT_FILE), path=str(path))
    return data


def _is_xml(start: bytes, path: Path) -> bool:
    return path.suffix.lower() in (".graphml", ".xml") or start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(
        b"<"
    )


def _is_mooccubex(start: bytes) -> bool:
    """Whether the first line is a concept of MOOCCubeX."""
    try:
        value = json.loads(start)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and {"id", "name"} <= value.keys()
