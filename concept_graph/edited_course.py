"""What people changed in a graph, applied to what was built of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from typing import Any

from concept_graph.graph import Edges, add_edge
from concept_graph.headings import ConceptSet
from concept_graph.names import concept_id, forms
from vta.text import normalise
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import ConceptId, CourseId


def find_concept(course_id: CourseId, name: str, known: Container[ConceptId]) -> ConceptId | None:
    """The known concept of a course that has this name, in any spelling, or it in the singular or plural."""
    ids = (concept_id(course_id, form) for form in forms(name))
    return next((id for id in ids if id in known), None)


class EditedCourse:
    """One course's part of concepts and edges, which it changes in place."""

    def __init__(self, course_id: CourseId, concepts: dict[ConceptId, Concept], edges: Edges) -> None:
        """Over the concepts and edges of all courses."""
        self._course_id = course_id
        self._concepts, self._edges = concepts, edges

    def apply(self, recorded: RecordedEdit) -> bool:
        """Whether the edit changed something."""
        match recorded.edit:
            case AddConcept() as edit:
                return self._add(edit)
            case RejectConcept(concept=name):
                return self._remove(self._find(name))
            case RenameConcept(concept=name, name=new):
                return self._rename(self._find(name), new)
            case MergeConcepts(concept=name, other=other):
                return self._merge(self._find(name), self._find(other))
            case ExplainConcept(concept=name, definition=definition):
                return self._explain(self._find(name), definition)
            case LinkConcepts(prerequisite=before, concept=after, evidence=evidence):
                return self._link(self._find(before), self._find(after), evidence, recorded.number)
            case UnlinkConcepts(prerequisite=before, concept=after):
                return self._unlink(self._find(before), self._find(after))

    def _find(self, name: str) -> Concept | None:
        found = find_concept(self._course_id, name, self._concepts)
        return None if found is None else self._concepts[found]

    def _add(self, edit: AddConcept) -> bool:
        known = self._find(edit.name)
        if known is None:
            id = concept_id(self._course_id, edit.name)
            known = Concept(id=id, name=edit.name, domains=edit.domains, courses=(self._course_id,))
        self._put(
            known,
            aliases=_aliases(known.name, (*known.aliases, *edit.aliases)) if edit.aliases else known.aliases,
            definition=edit.definition or known.definition,
            domains=edit.domains or known.domains,
        )
        return True

    def _remove(self, concept: Concept | None) -> bool:
        if concept is None:
            return False
        self._take(concept)
        return True

    def _take(self, concept: Concept) -> tuple[ConceptEdge, ...]:
        """Remove a concept, and give back the edges that it had."""
        del self._concepts[concept.id]
        touching = [ends for ends in self._edges if concept.id in ends]
        return tuple(self._edges.pop(ends) for ends in touching)

    def _rename(self, concept: Concept | None, name: str) -> bool:
        if concept is None:
            return False
        other = self._find(name)
        if other is not None and other.id != concept.id:
            return self._merge(other, concept)  # a later build found it under its right name as well
        id = concept_id(self._course_id, name)
        aliases = _aliases(name, (concept.name, *concept.aliases))
        edges = self._take(concept)
        self._put(concept, id=id, name=name, aliases=aliases)
        self._connect(edges, concept.id, id)
        return True

    def _merge(self, concept: Concept | None, other: Concept | None) -> bool:
        if concept is None or other is None or concept.id == other.id:
            return False
        edges = self._take(other)
        placed = (
            concept if concept.document else replace(concept, document=other.document, locator=other.locator)
        )
        self._put(
            placed,
            aliases=_aliases(concept.name, (*concept.aliases, other.name, *other.aliases)),
            definition=concept.definition or other.definition,
            domains=tuple(dict.fromkeys((*concept.domains, *other.domains))),
            first_seen=concept.first_seen or other.first_seen,
        )
        self._connect(edges, other.id, concept.id)
        return True

    def _explain(self, concept: Concept | None, definition: str) -> bool:
        if concept is None:
            return False
        if definition:
            self._put(concept, definition=definition)
        else:
            self._concepts[concept.id] = replace(concept, definition="")
        return True

    def _link(self, before: Concept | None, after: Concept | None, evidence: str, number: int) -> bool:
        if before is None or after is None or before.id == after.id:
            return False
        if not evidence and (before.id, after.id) not in self._edges:
            evidence = f"graph edit {number}"
        add_edge(
            self._edges,
            ConceptEdge(
                prerequisite=before.id,
                concept=after.id,
                evidence=(evidence,) if evidence else (),
                curated=True,
            ),
        )
        return True

    def _unlink(self, before: Concept | None, after: Concept | None) -> bool:
        if before is None or after is None:
            return False
        return self._edges.pop((before.id, after.id), None) is not None

    def _put(self, concept: Concept, **changed: Any) -> None:
        """Keep a concept, with these fields changed, as one that a person decided on."""
        decided = replace(concept, **changed, score=1.0, curated=True)
        self._concepts[decided.id] = decided

    def _connect(self, edges: Iterable[ConceptEdge], old: ConceptId, new: ConceptId) -> None:
        """Put edges back with another id for one of their ends, but none that joins a concept to itself."""
        for edge in edges:
            before, after = (new if end == old else end for end in (edge.prerequisite, edge.concept))
            if before != after:
                add_edge(self._edges, replace(edge, prerequisite=before, concept=after))


def _aliases(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """What a concept of this name is called besides, each spelling that `normalise` tells apart once."""
    unlike = {normalise(each): each for each in reversed(others)}
    return tuple(unlike[key] for key in dict.fromkeys(map(normalise, others)) if key != normalise(name))


def apply_edits(
    built: ConceptSet, edits: Sequence[RecordedEdit]
) -> tuple[ConceptSet, tuple[RecordedEdit, ...]]:
    """The concepts and edges after the edits of all courses, and the edits that have no effect on them.

    Each course's edits are applied in the order given. An edit that names a concept which the course has not
    (any more), or an edge that is not there, has no effect. What an edit touches counts as curated. The
    order of the edges means nothing.
    """
    if not edits:
        return built, ()
    concepts = {concept.id: concept for concept in built[0]}
    edges: Edges = {}
    for edge in built[1]:
        add_edge(edges, edge)
    courses = {each.course_id: EditedCourse(each.course_id, concepts, edges) for each in edits}
    idle = tuple(each for each in edits if not courses[each.course_id].apply(each))
    return (tuple(concepts.values()), tuple(edges.values())), idle
