"""Concepts and prerequisites of one course out of, and as, files of MOOCCubeX (THU-KEG/MOOCCubeX)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from concept_graph.concept_file import Fields, load_json, make_concepts
from concept_graph.defining import DefiningSentences
from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.text import normalise
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, Course

CONCEPTS = "entities/concept.json"
MOST_CONCEPTS = 200_000
"""In one course."""
_OWN = ("aliases", "definition", "domains", "score", "first_seen")
"""Further fields, which this project writes."""
COURSES = "relations/concept-course.txt"


def read_mooccubex(path: Path, *, course: Course, source: str | None = None) -> tuple[ConceptSet, int]:
    """The concepts and prerequisites of a course in a MOOCCubeX folder, and how many pairs were left out.

    `source` is the course's id there; without it, the course of the same id or the only one is taken, or
    all concepts where the folder has no `relations/concept-course.txt`. A file in place of a folder is its
    `concept.json` alone. Pairs of `prerequisites/*.json` count where `ground_truth` is 1; they give bare
    names, and those that are no concepts of the course are left out. A concept in several fields is one.
    The sentence of `context` that defines the concept explains it.

    Every fault is `InvalidInput` with file and line: broken JSON, wrong encoding, a concept given twice or
    missing, a row that is none.
    """
    file = path / CONCEPTS if path.is_dir() else path
    if not file.is_file():
        raise InvalidInput(Fault("file.missing").at(str(file)))
    chosen = choose_course(path, course=course, source=source)
    lines = None if chosen is None else concepts_of_course(path, chosen)
    entries = _concepts(file, lines)
    if lines is not None:
        _require_all(lines, entries, path / COURSES)
    seen = {} if chosen is None else first_videos(path, chosen)
    names = {key: str(fields.values["name"]) for key, fields in entries.fields.items()}
    pairs = list(_pairs(path, names))
    edges = {_ends(pair): pair for pair in pairs if pair is not None}
    concepts = (entries.complete(key, seen) for key in entries.fields)
    return make_concepts(concepts, edges.values(), course=course), pairs.count(None)


class _Entries:
    """The concepts read so far, by normalised name."""

    def __init__(self) -> None:
        self.fields: dict[str, Fields] = {}
        self.ids: dict[str, str] = {}
        self._domains: dict[str, dict[str, None]] = {}

    def add(self, entry: Fields) -> None:
        id, name = entry.string("id", required=True), entry.string("name", required=True)
        if id in self.ids:
            raise entry.refused("id", Fault("concept.twice", id=id))
        key = self.ids[id] = normalise(name)
        values = {field: entry.values[field] for field in _OWN if field in entry.values}
        self.fields.setdefault(key, replace(entry, values={"name": name, **values}))
        if "definition" not in values:
            self._explain(key, name, str(entry.values.get("context") or ""))
        field = id.removeprefix(f"K_{name}_")
        if field and field != id:
            self._domains.setdefault(key, {})[field] = None
        if len(self.fields) > MOST_CONCEPTS:
            raise entry.refused("id", Fault("concept.too_many", most=MOST_CONCEPTS))

    def complete(self, key: str, seen: Mapping[str, str]) -> Fields:
        """The entry of a concept as a concept file would have it."""
        fields = self.fields[key]
        values = dict(fields.values)
        if self._domains.get(key):
            values.setdefault("domains", list(self._domains[key]))
        first = next((seen[id] for id, own in self.ids.items() if own == key and id in seen), None)
        if first:
            values.setdefault("first_seen", first)
        return replace(fields, values=values)

    def _explain(self, key: str, name: str, context: str) -> None:
        fields = self.fields[key]
        plain = "".join(c for c in context if c.isprintable() or c in "\n ")
        found = DefiningSentences({name: (name,)}).definition(plain)
        if not fields.values.get("definition") and found.endswith(("。", ".", "！", "；")):  # not cut off
            self.fields[key] = replace(fields, values={**fields.values, "definition": found})


def _concepts(file: Path, wanted: Collection[str] | None) -> _Entries:
    entries = _Entries()
    for entry in read_objects(file):
        if wanted is None or str(entry.values.get("id")) in wanted:
            entries.add(entry)
    return entries


def _require_all(lines: Mapping[str, int], entries: _Entries, relation: Path) -> None:
    """`InvalidInput` with the line of the relation for a concept that was not read."""
    for id, line in lines.items():
        if id not in entries.ids:
            unknown = Fault("concept.not_in_concepts", id=id, file=CONCEPTS)
            raise InvalidInput(unknown.at(str(relation), line))


def _pairs(folder: Path, names: Mapping[str, str]) -> Iterator[Fields | None]:
    """The labelled prerequisites as edges of a concept file; None for one that is left out."""
    for file in sorted((folder / "prerequisites").glob("*.json")):
        for entry in read_objects(file):
            label = entry.values.get("ground_truth")
            if label not in (None, -1, 0, 1):
                raise entry.refused("ground_truth", Fault("concept.ground_truth"))
            if label != 1:
                continue
            before = normalise(entry.string("c1", required=True))
            after = normalise(entry.string("c2", required=True))
            if before == after or before not in names or after not in names:
                yield None
                continue
            place = f"{file.parent.name}/{file.name}, line {entry.line}"
            evidence = entry.values.get("evidence", [place])
            values = {"prerequisite": names[before], "concept": names[after], "evidence": evidence}
            yield replace(entry, values={**values, "score": entry.values.get("score")})


def _ends(pair: Fields) -> tuple[object, object]:
    return pair.values["prerequisite"], pair.values["concept"]


def choose_course(folder: Path, *, course: Course, source: str | None) -> str | None:
    """The id that a course has in the folder: `source`, else that of the course, else the only one there.

    None where the folder does not tell concepts by course. `InvalidInput` where the course wanted is not
    there, or none is named and there are several.
    """
    file = folder / COURSES
    found = {course_id for _, _, course_id in read_rows(file)} if file.is_file() else set()
    if not found and source is None:
        return None
    for wanted in (source, course.id):
        if wanted in found:
            return wanted
    if source is None and len(found) == 1:
        return min(found)
    fault = Fault("course.unknown", course=source) if source else Fault("concept.sources", count=len(found))
    raise InvalidInput(fault.at(str(file), field="--from"))


def concepts_of_course(folder: Path, chosen: str) -> dict[str, int]:
    """The ids of the concepts of a course, each with the line that says so."""
    rows = read_rows(folder / COURSES)
    return {concept: number for number, concept, course_id in rows if course_id == chosen}


def first_videos(folder: Path, chosen: str) -> dict[str, str]:
    """The name of the first video of a course that names each concept, in the order of the course.

    Empty where one of the files needed is not there, or the course is not among them.
    """
    files = [
        folder / name
        for name in (
            "entities/course.json",
            "entities/video.json",
            "relations/video_id-ccid.txt",
            "relations/concept-video.txt",
        )
    ]
    if not all(file.is_file() for file in files):
        return {}
    courses, videos, ids, concepts = files
    order = _video_ids(courses, chosen)
    places: dict[str, int] = {}
    for _, video_id, ccid in read_rows(ids):
        if video_id in order:
            places[ccid] = min(order[video_id], places.get(ccid, order[video_id]))
    names = {
        entry.string("ccid"): entry.string("name")
        for entry in read_objects(videos)
        if entry.string("ccid", required=True) in places
    }
    first: dict[str, str] = {}
    for _, concept, ccid in read_rows(concepts):
        known = first.get(concept)
        if ccid in names and (known is None or places[ccid] < places[known]):
            first[concept] = ccid
    return {concept: names[ccid] for concept, ccid in first.items()}


def _video_ids(file: Path, chosen: str) -> dict[str, int]:
    """The videos of a course by id, with their places in it."""
    for entry in read_objects(file):
        if entry.string("id", required=True) == chosen:
            videos = [
                each.string("resource_id", required=True)
                for each in entry.objects("resource")
                if each.string("resource_type") == "video"
            ]
            return {id: place for place, id in reversed(list(enumerate(videos)))}
    return {}


LONGEST_LINE = 10_000_000
"""Bytes."""


def read_objects(file: Path) -> Iterator[Fields]:
    """The objects of a JSON Lines file. `InvalidInput` names file and line."""
    for number, line in _read_lines(file):
        try:
            value = load_json(line, path=str(file))
        except InvalidInput as error:
            raise InvalidInput(Fault("concept.no_json_line").at(str(file), number)) from error
        if not isinstance(value, dict):
            raise InvalidInput(Fault("concept.no_object").at(str(file), number))
        yield Fields(str(file), f"line {number}", value, line=number)


def read_rows(file: Path) -> Iterator[tuple[int, str, str]]:
    """The rows of a relation: the line's number and two ids apart by a tab. `InvalidInput` as above."""
    for number, line in _read_lines(file):
        columns = [column.strip() for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise InvalidInput(Fault("concept.no_relation").at(str(file), number))
        yield number, columns[0], columns[1]


def _read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their numbers from 1."""
    try:
        with file.open("rb") as lines:
            number = 0
            while line := lines.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise InvalidInput(Fault("file.line_too_long", most=LONGEST_LINE).at(str(file), number))
                text = _decoded(line, file, number).strip("\r\n \ufeff")
                if text:
                    yield number, text
    except OSError as error:
        raise InvalidInput(Fault("file.unreadable", reason=str(error.strerror)).at(str(file))) from error


def _decoded(line: bytes, file: Path, number: int) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(Fault("file.no_utf8_text").at(str(file), number)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseVideo:
    """A video with its subtitles: text, start and end in seconds, and the concepts that each names."""

    name: str
    lines: tuple[tuple[float, float, str], ...]
    concepts: frozenset[ConceptId]


def write_mooccubex(
    concepts: Iterable[Concept],
    edges: Iterable[ConceptEdge],
    *,
    course: Course,
    videos: Sequence[CourseVideo] = (),
) -> dict[str, str]:
    """The files by their names in the folder; `edges` may only name these concepts, `videos` are in order.

    Reading them for the same course gives equal concepts and edges, except for `courses`, `document` and
    `locator`.
    """
    concepts = tuple(concepts)
    names = {concept.id: concept.name for concept in concepts}
    ids = _mooccubex_ids(concepts)
    ccids = [_ccid(course, video) for video in videos]
    return {
        "entities/concept.json": _lines(_concept(each, ids[each.id]) for each in concepts),
        "entities/course.json": _lines([_course(course, videos)]),
        "entities/video.json": _lines(_video(video, ccid) for video, ccid in zip(videos, ccids, strict=True)),
        "relations/concept-course.txt": _rows((id, course.id) for id in ids.values()),
        "relations/concept-video.txt": _rows(
            (id, ccid)
            for video, ccid in zip(videos, ccids, strict=True)
            for concept, id in ids.items()
            if concept in video.concepts
        ),
        "relations/video_id-ccid.txt": _rows((f"V_{n}", ccid) for n, ccid in enumerate(ccids, start=1)),
        f"prerequisites/{course.id}.json": _lines(
            {
                "c1": names[edge.prerequisite],
                "c2": names[edge.concept],
                "ground_truth": 1,
                "text_predict": [],
                "graph_predict": [],
                "score": edge.score,
                "evidence": edge.evidence,
            }
            for edge in edges
        ),
    }


def _mooccubex_ids(concepts: Iterable[Concept]) -> dict[ConceptId, str]:
    """`K_{name}_{field}` for each, on one line without a tab, and numbered where two would be the same."""
    taken: dict[str, ConceptId] = {}
    for concept in concepts:
        field = concept.domains[0] if concept.domains else ""
        plain = id = " ".join(f"K_{concept.name}_{field}".split())
        for number in count(2):
            if taken.setdefault(id, concept.id) == concept.id:
                break
            id = f"{plain}_{number}"
    return {concept: id for id, concept in taken.items()}


def _concept(concept: Concept, id: str) -> dict[str, object]:
    named = normalise(concept.name) in normalise(concept.definition)
    return {
        "id": id,
        "name": concept.name,
        "context": concept.definition if named else f"{concept.name} {concept.definition}".strip(),
        "aliases": concept.aliases,
        "definition": concept.definition,
        "domains": concept.domains,
        "score": concept.score,
        "first_seen": concept.first_seen,
    }


def _course(course: Course, videos: Sequence[CourseVideo]) -> dict[str, object]:
    return {
        "id": course.id,
        "name": course.name,
        "field": course.domains,
        "about": "",
        "prerequisites": "",
        "resource": [
            {"resource_type": "video", "resource_id": f"V_{n}", "chapter": str(n), "titles": [video.name]}
            for n, video in enumerate(videos, start=1)
        ],
    }


def _video(video: CourseVideo, ccid: str) -> dict[str, object]:
    start, end, text = ([line[column] for line in video.lines] for column in range(3))
    return {"ccid": ccid, "name": video.name, "start": start, "end": end, "text": text}


def _ccid(course: Course, video: CourseVideo) -> str:
    """32 digits, the same for the same video of the course."""
    return hashlib.sha256(f"{course.id}\t{video.name}".encode()).hexdigest()[:32].upper()


def _rows(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{first}\t{second}\n" for first, second in rows)


def _lines(objects: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False, allow_nan=False) + "\n" for each in objects)
