"""Concepts and prerequisites of one course out of, and as, files of MOOCCubeX (THU-KEG/MOOCCubeX)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from concept_graph.concept_file import OF_CONCEPT, Fields, make_concepts
from concept_graph.defining import DefiningSentences
from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import normalise
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course

CONCEPTS = "entities/concept.json"
COURSES = "relations/concept-course.txt"
_OWN = OF_CONCEPT[1:]
"""Further fields, which this project writes."""


def read_mooccubex(path: Path, *, course: Course, source: str | None = None) -> tuple[ConceptSet, int]:
    """The concepts and prerequisites of a course in a MOOCCubeX folder, and how many pairs were left out.

    `source` is the course's id there; without it, the course of the same id or the only one is taken, or
    all concepts where the folder has no `relations/concept-course.txt`. A file in place of a folder is its
    `concept.json` alone. Pairs of `prerequisites/*.json` count where `ground_truth` is 1; they give bare
    names, and those that are no concepts of the course are left out. A concept in several fields is one.
    The sentence of `context` that defines it is the definition. `InvalidInput` names file and line.
    """
    file = path / CONCEPTS if path.is_dir() else path
    if not file.is_file():
        raise InvalidInput(Fault("file.missing").at(str(file)))
    concepts = _concepts(path, file, _ids_of_course(path / COURSES, course, source))
    pairs = list(_pairs(path, {key: str(entry.values["name"]) for key, entry in concepts.items()}))
    edges = {(pair.values["prerequisite"], pair.values["concept"]): pair for pair in pairs if pair}
    return make_concepts(concepts.values(), edges.values(), course=course), pairs.count(None)


def _ids_of_course(file: Path, course: Course, source: str | None) -> dict[str, int] | None:
    """The ids of the concepts of the course, each with its line; None where no file assigns any."""
    courses = {course_id for _, _, course_id in _rows(file)} if file.is_file() else set()
    if not courses and source is None:
        return None
    chosen = source or (course.id if course.id in courses or len(courses) > 1 else min(courses))
    if chosen not in courses:
        several = Fault("concept.sources", count=len(courses))
        fault = Fault("course.unknown", course=source) if source else several
        raise InvalidInput(fault.at(str(file), field="--from"))
    return {concept: line for line, concept, course_id in _rows(file) if course_id == chosen}


def _concepts(folder: Path, file: Path, wanted: Mapping[str, int] | None) -> dict[str, Fields]:
    """The concepts as entries of a concept file, by normalised name."""
    concepts: dict[str, Fields] = {}
    ids: set[str] = set()
    for entry in _objects(file):
        id = entry.string("id", required=wanted is None)
        if wanted is not None and id not in wanted:
            continue
        if id in ids:
            raise entry.refused("id", Fault("concept.twice", id=id))
        ids.add(id)
        key = normalise(entry.string("name", required=True))
        concepts[key] = _joined(concepts.get(key), entry, id)
    for id, line in (wanted or {}).items():
        if id not in ids:
            unknown = Fault("concept.not_in_concepts", id=id, file=CONCEPTS)
            raise InvalidInput(unknown.at(str(folder / COURSES), line))
    return concepts


def _joined(known: Fields | None, entry: Fields, id: str) -> Fields:
    """The entry of a concept file, joined to that of the same name in another field."""
    given = entry.values
    name = str(given["name"])
    joined = known or replace(entry, values={"name": name})
    values = {**{field: given[field] for field in _OWN if field in given}, **joined.values}
    field = id.removeprefix(f"K_{name}_")
    if "domains" not in given and field not in ("", id):
        values["domains"] = [*joined.strings("domains"), field]
    if "definition" not in given and not values.get("definition"):
        context = "".join(c for c in str(given.get("context") or "") if c.isprintable() or c in "\n ")
        found = DefiningSentences({name: (name,)}).definition(context)
        values["definition"] = found if found.endswith(("。", ".", "！", "；")) else ""  # not cut off
    return replace(joined, values=values)


def _pairs(folder: Path, names: Mapping[str, str]) -> Iterator[Fields | None]:
    """The labelled prerequisites as edges of a concept file; None for one that is left out."""
    for file in sorted((folder / "prerequisites").glob("*.json")):
        for entry in _objects(file):
            label = entry.values.get("ground_truth")
            if label not in (None, -1, 0, 1):
                raise entry.refused("ground_truth", Fault("concept.ground_truth"))
            if label != 1:
                continue
            before, after = (normalise(entry.string(field, required=True)) for field in ("c1", "c2"))
            if before == after or before not in names or after not in names:
                yield None
                continue
            values = {
                "prerequisite": names[before],
                "concept": names[after],
                "score": entry.values.get("score"),
                "evidence": entry.values.get("evidence", [f"prerequisites/{file.name}, line {entry.line}"]),
            }
            yield replace(entry, values=values)


def _objects(file: Path) -> Iterator[Fields]:
    """The objects of a JSON Lines file."""
    for number, line in _read_lines(file):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(Fault("concept.no_json_line").at(str(file), number)) from error
        if not isinstance(value, dict):
            raise InvalidInput(Fault("concept.no_object").at(str(file), number))
        yield Fields(str(file), f"line {number}", value, line=number)


def _rows(file: Path) -> Iterator[tuple[int, str, str]]:
    """The rows of a relation: the line's number and two ids separated by a tab."""
    for number, line in _read_lines(file):
        first, _, second = (part.strip() for part in line.partition("\t"))
        if not first or not second or "\t" in second:
            raise InvalidInput(Fault("concept.no_relation").at(str(file), number))
        yield number, first, second


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if text := line.decode().strip("\r\n \ufeff"):
                    yield number, text
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(str(file))) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("file.no_utf8_text").at(str(file), number)) from error


def write_mooccubex(
    concepts: Iterable[Concept], edges: Iterable[ConceptEdge], *, course: Course
) -> dict[str, str]:
    """The files by their names in the folder; `edges` may only name these concepts.

    Reading them for the same course gives equal concepts and edges, except for `courses`, `document` and
    `locator`.
    """
    names: dict[ConceptId, str] = {}
    rows: dict[str, dict[str, object]] = {}
    for concept in concepts:
        names[concept.id] = concept.name
        id = " ".join(f"K_{concept.name}_{''.join(concept.domains[:1])}".split())
        while id in rows:
            id += "_2"
        own = {field: getattr(concept, field) for field in _OWN}
        rows[id] = {"id": id, "name": concept.name, "context": concept.definition, **own}
    pairs = [
        {
            "c1": names[edge.prerequisite],
            "c2": names[edge.concept],
            "ground_truth": 1,
            "score": edge.score,
            "evidence": edge.evidence,
        }
        for edge in edges
    ]
    return {
        CONCEPTS: _lines(rows.values()),
        COURSES: "".join(f"{id}\t{course.id}\n" for id in rows),
        f"prerequisites/{course.id}.json": _lines(pairs),
    }


def _lines(objects: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False, allow_nan=False) + "\n" for each in objects)
