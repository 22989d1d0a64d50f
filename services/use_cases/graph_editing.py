"""The human hand on a course's graph: what is recorded, and which of it has an effect."""

from __future__ import annotations

from concept_graph.edit_rules import check_edit
from concept_graph.edits import apply_edits
from concept_graph.platform_graph import unite
from vta.ports import ConceptGraph, GraphEdits, KnowledgeSource
from vta.types import Course, CourseId, GraphEdit, RecordedEdit


def edit_graph(edit: GraphEdit, *, course: Course, graph: ConceptGraph, edits: GraphEdits) -> RecordedEdit:
    """Record an edit of the course's graph as it is now; raises as `check_edit` does."""
    return edits.record(course.id, check_edit(edit, course=course, graph=graph))


def idle_edits(
    course_id: CourseId, *, documents: KnowledgeSource, edits: tuple[RecordedEdit, ...]
) -> frozenset[int]:
    """The numbers of those edits of a course that have no effect on what its documents say now."""
    of_course = (
        (concepts, edges)
        for concepts, edges in documents.concepts()
        if any(course_id in concept.courses for concept in concepts)
    )
    _, idle = apply_edits(unite(of_course), edits)
    return frozenset(each.number for each in idle)
