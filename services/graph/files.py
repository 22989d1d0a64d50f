"""Builds, seeds, imports and exports of a concept graph."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from concept_graph.concept_file import LARGEST_CONCEPT_FILE, ConceptFileReader
from concept_graph.extraction.aliases import same_key
from concept_graph.extraction.extraction import extract_concepts
from concept_graph.graph import require_no_cycle
from concept_graph.graphml import read_graphml
from concept_graph.headings import ConceptSet, merge
from concept_graph.model_graph import Section, merge_sections
from concept_graph.mooccubex import read_mooccubex
from concept_graph.prerequisites import discover
from services.documents.rows import BUILT_GRAPH, IMPORTED_GRAPH, SECTIONS
from services.documents.store import SqlDocuments
from vta.errors import Conflict, InvalidInput
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import Course
from vta.types.documents import CourseDocument
from vta.types.pairs import QAPair


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedGraph:
    """How many concepts and edges were taken in, and how many pairs of MOOCCubeX were left out."""

    concepts: int
    edges: int
    left_out: int


def import_graph(
    path: Path, *, course: Course, documents: SqlDocuments, source: str | None = None
) -> ImportedGraph:
    """Store the graph of a file or folder, in place of the one imported before.

    The content decides the form: a folder of MOOCCubeX or its concepts (JSON Lines), GraphML, else a concept
    file (JSON). `source` is the id of the course in MOOCCubeX. `InvalidInput` names file and line or
    field of a fault, and prerequisites that run in a cycle; nothing is stored then.
    """
    (concepts, edges), left_out = _read(path, course, source)
    require_no_cycle((concepts, edges), path=str(path))
    _store(graph_document(IMPORTED_GRAPH, concepts, edges), course, documents)
    return ImportedGraph(concepts=len(concepts), edges=len(edges), left_out=left_out)


def graph_document(
    path: str, concepts: tuple[Concept, ...], edges: tuple[ConceptEdge, ...] = ()
) -> CourseDocument:
    """Concepts and edges that are of no file, as the document of a path of the store's own."""
    digest = hashlib.sha256(repr((concepts, edges)).encode(errors="surrogatepass")).hexdigest()
    return CourseDocument(path=path, sha256=digest, concepts=concepts, edges=edges)


def _store(document: CourseDocument, course: Course, documents: SqlDocuments) -> None:
    """Put a document in the place of the one before, unless that is the same."""
    state = documents.states(course.id).get(document.path)
    if state is None or state.sha256 != document.sha256:
        documents.apply(course.id, put=[document])


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
            begins_with_mark = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
            if begins_with_mark or path.suffix.lower() in (".graphml", ".xml"):
                data = file.read(LARGEST_CONCEPT_FILE + 1)
                if len(data) > LARGEST_CONCEPT_FILE:
                    fault = Fault("data.too_large", path=str(path), most=LARGEST_CONCEPT_FILE)
                    raise InvalidInput(fault, path=str(path))
                return read_graphml(data, path=str(path), course=course), 0
            if not _is_mooccubex(start):
                document = ConceptFileReader().read(file, path=str(path), course=course)
                return (document.concepts, document.edges), 0
    except OSError as error:
        raise InvalidInput(
            Fault("data.unreadable", file=str(path), reason=error.strerror or ""), path=str(path)
        ) from error
    return read_mooccubex(path, course=course, source=source)


def _is_mooccubex(start: bytes) -> bool:
    """Is the first line a concept of MOOCCubeX?"""
    try:
        value = json.loads(start)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and {"id", "name"} <= value.keys()


def build_graph(
    course: Course,
    passages: Sequence[QAPair],
    documents: SqlDocuments,
    *,
    seeds: Sequence[str] = (),
    sections: Iterable[Section] = (),
) -> ConceptSet:
    """Find the concepts and edges of a course in its passages, and store them in place of the last build's.

    Of the `sections` that a language model read, its concepts stand for those found there, but for the seeds.
    `InvalidInput` where the course has no material, or no concept is found in it; the last build stays then.
    """
    if not passages:
        raise InvalidInput(Fault("course.no_material", course=course.id), field="COURSE")
    concepts = extract_concepts(passages, course=course, seeds=seeds)
    read = [(each, documents.document(course.id, SECTIONS + each.digest)) for each in sections]
    readings = [(stored.concepts, stored.edges) for _, stored in read if stored]
    places = {(pair.document, pair.locator) for each, stored in read if stored for pair, _ in each.passages}
    given = {same_key(each) for each in seeds}
    concepts = tuple(
        each
        for each in concepts
        if (each.document, each.locator) not in places
        or not given.isdisjoint(map(same_key, (each.name, *each.aliases)))
    )
    edges = discover(passages, concepts)
    if readings:
        concepts, edges = merge(merge_sections(readings, course), (concepts, edges))
    if not concepts:
        raise InvalidInput(Fault("course.no_concept_found", course=course.id), field="COURSE")
    _store(graph_document(BUILT_GRAPH, concepts, edges), course, documents)
    return concepts, edges


SEEDS = "/graph/seeds"
"""The path under which the seeds of a course are stored; no document of a folder begins so."""
