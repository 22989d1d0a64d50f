"""A course's graph as files of MOOCCubeX, with what these leave out in further fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import count

from vta.text import normalise
from vta.types import Concept, ConceptEdge, ConceptId, Course


def write_mooccubex(
    concepts: Iterable[Concept], edges: Iterable[ConceptEdge], *, course: Course
) -> dict[str, str]:
    """The files by their names in the folder; `edges` may only name these concepts.

    Reading them for the same course gives equal concepts and edges, except for `courses`, `document` and
    `locator`.
    """
    concepts = tuple(concepts)
    names = {concept.id: concept.name for concept in concepts}
    ids = _mooccubex_ids(concepts)
    about = {"id": course.id, "name": course.name, "field": course.domains}
    return {
        "entities/concept.json": _lines(_concept(each, ids[each.id]) for each in concepts),
        "entities/course.json": _lines([{**about, "about": "", "prerequisites": "", "resource": []}]),
        "relations/concept-course.txt": "".join(f"{id}\t{course.id}\n" for id in ids.values()),
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


def _lines(objects: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(each, ensure_ascii=False, allow_nan=False) + "\n" for each in objects)
