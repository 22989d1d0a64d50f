"""What people changed in a graph, applied to what was built of it."""

from __future__ import annotations

from collections.abc import Sequence

from concept_graph.edge_table import EdgeTable
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
    edited = {each.course_id for each in edits}
    edges = EdgeTable(built[1], (each.id for each in built[0] if not edited.isdisjoint(each.courses)))
    courses = {course_id: EditedCourse(course_id, concepts, edges) for course_id in edited}
    idle = tuple(each for each in edits if not courses[each.course_id].apply(each))
    return (tuple(concepts.values()), edges.all()), idle
