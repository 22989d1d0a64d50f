"""A course's concept file: what its teacher says the concepts and their prerequisites are.

`{"concepts": [{"name", "aliases"?, "definition"?, "domains"?, "prerequisites"?: [names], "score"?,
"first_seen"?}], "edges"?: [{"prerequisite", "concept", "score"?, "evidence"?}]}`. What is left out is: the
course's domains, score 1.0, and nothing for the rest. Edges name concepts by name or alias; an edge of
`edges` counts before the same one written as a `prerequisites` entry.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import BinaryIO

from concept_graph.json_fields import Fields, load_json
from concept_graph.names import concept_id
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import normalise
from vta.types import Concept, ConceptEdge, ConceptId, Course, CourseDocument

MAX_NAME = 200
"""Characters in a name or alias."""

_CONCEPT_FIELDS = ("name", "aliases", "definition", "domains", "prerequisites", "score", "first_seen")
_EDGE_FIELDS = ("prerequisite", "concept", "score", "evidence")

_Edges = dict[tuple[ConceptId, ConceptId], ConceptEdge]


def read_concepts(
    text: str, *, path: str, course: Course
) -> tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]:
    """The concepts and edges of a concept file, in its order.

    Every fault is `InvalidInput` with `path` and the `field` it is in, such as `concepts[2].aliases[0]`,
    or the line for broken JSON. Faults are also: a name or alias that two concepts share, a prerequisite
    that no concept is called, a concept that is its own prerequisite, an edge given twice, unknown fields.
    """
    top = Fields.of(load_json(text, path=path), path=path, place="", known=("concepts", "edges"))
    return make_concepts(top.objects("concepts", required=True), top.objects("edges"), course=course)


def make_concepts(
    entries: Iterable[Fields], edges: Iterable[Fields], *, course: Course
) -> tuple[tuple[Concept, ...], tuple[ConceptEdge, ...]]:
    """Concepts and edges from the entries of a concept file, or of another file that says the same."""
    entries = [each.named(_CONCEPT_FIELDS) for each in entries]
    concepts = tuple(_read_concept(entry, course) for entry in entries)
    ids = _index(concepts, entries)
    inline: _Edges = {}
    for concept, entry in zip(concepts, entries, strict=True):
        for n, name in enumerate(entry.strings("prerequisites")):
            prerequisite = _lookup(name, ids, entry, f"prerequisites[{n}]")
            _add(
                inline,
                ConceptEdge(prerequisite=prerequisite, concept=concept.id, curated=True),
                entry,
                f"prerequisites[{n}]",
            )
    listed: _Edges = {}
    for each in edges:
        entry = each.named(_EDGE_FIELDS)
        edge = ConceptEdge(
            prerequisite=_lookup(entry.string("prerequisite", required=True), ids, entry, "prerequisite"),
            concept=_lookup(entry.string("concept", required=True), ids, entry, "concept"),
            score=entry.share("score", default=1.0),
            evidence=entry.strings("evidence"),
            curated=True,
        )
        _add(listed, edge, entry, "prerequisite")
    return concepts, tuple({**inline, **listed}.values())


def write_concepts(concepts: Iterable[Concept], edges: Iterable[ConceptEdge]) -> str:
    """The concept file of concepts and edges; `edges` may only name these concepts.

    Reading it for the same course gives equal concepts, except for their `courses`, `document` and
    `locator`, which the file does not hold.
    """
    concepts = tuple(concepts)
    names = {concept.id: concept.name for concept in concepts}
    content = {
        "concepts": [
            {
                "name": concept.name,
                "aliases": concept.aliases,
                "definition": concept.definition,
                "domains": concept.domains,
                "score": concept.score,
                "first_seen": concept.first_seen,
            }
            for concept in concepts
        ],
        "edges": [
            {
                "prerequisite": names[edge.prerequisite],
                "concept": names[edge.concept],
                "score": edge.score,
                "evidence": edge.evidence,
            }
            for edge in edges
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _read_concept(entry: Fields, course: Course) -> Concept:
    name = _read_name(entry.string("name", required=True), entry, "name")
    return Concept(
        id=concept_id(course.id, name),
        name=name,
        aliases=tuple(
            _read_name(alias, entry, f"aliases[{n}]") for n, alias in enumerate(entry.strings("aliases"))
        ),
        definition=entry.string("definition"),
        domains=entry.strings("domains", default=course.domains),
        courses=(course.id,),
        score=entry.share("score", default=1.0),
        curated=True,
        first_seen=entry.string("first_seen") or None,
    )


def _read_name(text: str, entry: Fields, field: str) -> str:
    name = text.strip()
    if not normalise(name):
        raise entry.refused(field, Fault("concept.empty"))
    if len(name) > MAX_NAME:
        raise entry.refused(field, Fault("concept.too_long", most=MAX_NAME, length=len(name)))
    return name


def _index(concepts: tuple[Concept, ...], entries: list[Fields]) -> dict[str, ConceptId]:
    """Ids by normalised name and alias, all of which must be different between concepts."""
    ids: dict[str, ConceptId] = {}
    for concept, entry in zip(concepts, entries, strict=True):
        key = normalise(concept.name)
        if key in ids:
            raise entry.refused("name", Fault("concept.name_of_another", name=concept.name))
        ids[key] = concept.id
    for concept, entry in zip(concepts, entries, strict=True):
        for n, alias in enumerate(concept.aliases):
            if ids.setdefault(normalise(alias), concept.id) != concept.id:
                raise entry.refused(f"aliases[{n}]", Fault("concept.name_of_another", name=alias))
    return ids


def _lookup(name: str, ids: dict[str, ConceptId], entry: Fields, field: str) -> ConceptId:
    found = ids.get(normalise(name))
    if found is None:
        raise entry.refused(field, Fault("concept.not_in_file", name=name))
    return found


def _add(edges: _Edges, edge: ConceptEdge, entry: Fields, field: str) -> None:
    pair = edge.prerequisite, edge.concept
    if edge.prerequisite == edge.concept:
        raise entry.refused(field, Fault("concept.own_prerequisite"))
    if pair in edges:
        raise entry.refused(field, Fault("concept.prerequisite_twice"))
    edges[pair] = edge


CONCEPT_FILE = "concepts.json"
LARGEST_CONCEPT_FILE = 50_000_000
"""Bytes."""


class ConceptFileReader:
    """`vta.ports.DocumentReader` for files named `concepts.json`."""

    def handles(self, path: str) -> bool:
        return PurePosixPath(path).name == CONCEPT_FILE

    def read(self, file: BinaryIO, *, path: str, course: Course) -> CourseDocument:
        data = file.read(LARGEST_CONCEPT_FILE + 1)
        if len(data) > LARGEST_CONCEPT_FILE:
            raise InvalidInput(Fault("concept.file_too_large", most=LARGEST_CONCEPT_FILE).at(path))
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise InvalidInput(Fault("file.no_utf8_text").at(path, line)) from error
        concepts, edges = read_concepts(text, path=path, course=course)
        return CourseDocument(
            path=path, sha256=hashlib.sha256(data).hexdigest(), concepts=concepts, edges=edges
        )
