"""What people changed in a graph, applied to what was built of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from concept_graph.edited_course import EditedCourse
from concept_graph.headings import ConceptSet
from vta.types import RecordedEdit


def apply_edits(
    built: ConceptSet, edits: Sequence[RecordedEdit]
) -> tuple[ConceptSet, tuple[RecordedEdit, ...]]:
    """The concepts and edges after the edits of all courses, and the edits that have no effect on them.

    Each course's edits are applied in the order given. An edit that names a concept which the course has not
    (any more), or an edge that is not there, has no effect. What an edit touches counts as curated.
    """
    if not edits:
        return built, ()
    concepts = {concept.id: concept for concept in built[0]}
    edges = {(edge.prerequisite, edge.concept): edge for edge in built[1]}
    idle: list[RecordedEdit] = []
    for course_id, of_course in groupby(sorted(edits, key=lambda e: e.course_id), key=lambda e: e.course_id):
        edited = EditedCourse(course_id, concepts, edges)
        idle.extend(each for each in of_course if not edited.apply(each))
    return (tuple(concepts.values()), tuple(edges.values())), tuple(idle)
