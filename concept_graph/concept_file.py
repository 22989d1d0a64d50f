"""A course's concept file: what its teacher says the concepts and their prerequisites are.

`{"concepts": [{"name", "aliases"?, "definition"?, "domains"?, "prerequisites"?: [names], "score"?,
"first_seen"?}], "edges"?: [{"prerequisite", "concept", "score"?, "evidence"?}]}`. What is left out is: the
course's domains, score 1.0, and nothing for the rest. Edges name concepts by name or alias; an edge of
`edges` counts before the same one written as a `prerequisites` entry.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import BinaryIO

from concept_graph.names import concept_id
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import normalise
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course
from vta.types.documents import CourseDocument

MAX_NAME = 200
"""Characters in a name or alias."""

OF_CONCEPT = ("name", "aliases", "definition", "domains", "score", "first_seen")
"""The fields of a concept that its file holds, and of the same name."""
OF_EDGE = ("prerequisite", "concept", "score", "evidence")

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
    entries = [each.named((*OF_CONCEPT, "prerequisites")) for each in entries]
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
        entry = each.named(OF_EDGE)
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
        "concepts": [{field: getattr(concept, field) for field in OF_CONCEPT} for concept in concepts],
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


def load_json(text: str, *, path: str) -> object:
    """The value of a JSON text; `InvalidInput` with the line where it is broken."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        fault = Fault("concept.broken_json", reason=error.msg, column=error.colno)
        raise InvalidInput(fault.at(path, error.lineno)) from error
    except (RecursionError, ValueError) as error:
        raise InvalidInput(Fault("concept.wild_json").at(path)) from error


@dataclass(frozen=True, slots=True)
class Fields:
    """One JSON object of the file at `path`; `place` is where it stands, `label` what it calls itself.

    `line` is that of its start, where the file has an object a line.
    """

    path: str
    place: str
    values: Mapping[str, object]
    label: str = ""
    line: int | None = None

    @classmethod
    def of(cls, value: object, *, path: str, place: str, known: tuple[str, ...] | None = None) -> Fields:
        if not isinstance(value, dict):
            if place:
                raise InvalidInput(Fault("concept.no_object").at(path, field=place))
            raise InvalidInput(Fault("concept.file_no_object").at(path))
        fields = cls(path, place, value)
        return fields if known is None else fields.named(known)

    def named(self, known: tuple[str, ...]) -> Fields:
        """The same object, checked to have no fields but the known ones and labelled by its name."""
        name = self.values.get("name")
        labelled = replace(self, label=f" (concept {name!r})" if isinstance(name, str) else "")
        for key in self.values:
            if key not in known:
                raise labelled.refused(key, Fault("concept.unknown_field", known=", ".join(known)))
        return labelled

    def refused(self, field: str, fault: Fault) -> InvalidInput:
        """The error to raise about one field of this object."""
        full = f"{self.place}.{field}" if self.place else field
        return InvalidInput(fault.at(self.path, self.line, field=f"{full}{self.label}"), field=full)

    def objects(self, field: str, *, required: bool = False) -> Iterator[Fields]:
        """The objects of a list; none where the field is missing."""
        for n, value in enumerate(self._list(field, required=required)):
            place = f"{self.place}.{field}[{n}]" if self.place else f"{field}[{n}]"
            yield Fields.of(value, path=self.path, place=place)

    def string(self, field: str, *, required: bool = False) -> str:
        """A text; "" where the field is missing or null."""
        value = self.values.get(field)
        if value is None and not required:
            return ""
        if value is None:
            raise self.refused(field, Fault("concept.missing"))
        return self._text(value, field)

    def strings(self, field: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """A list of texts."""
        if self.values.get(field) is None:
            return default
        return tuple(self._text(value, f"{field}[{n}]") for n, value in enumerate(self._list(field)))

    def share(self, field: str, *, default: float) -> float:
        """A number from 0 to 1."""
        value = self.values.get(field)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise self.refused(field, Fault("concept.no_share"))
        return float(value)

    def _list(self, field: str, *, required: bool = False) -> list[object]:
        value = self.values.get(field)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            raise self.refused(field, Fault("concept.missing") if value is None else Fault("concept.no_list"))
        return value

    def _text(self, value: object, field: str) -> str:
        if not isinstance(value, str):
            raise self.refused(field, Fault("concept.not_a_text"))
        if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\r\n" for c in value):
            raise self.refused(field, Fault("concept.control_characters"))
        return value
