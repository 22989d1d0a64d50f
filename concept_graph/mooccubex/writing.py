"""A course's graph as files of MOOCCubeX, with what these leave out in further fields."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from vta.text import normalise
from vta.types import Concept, ConceptEdge, ConceptId, Course


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
