"""What people changed in a graph, applied to what was built of it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from concept_graph.graph import joined
from concept_graph.headings import ConceptSet
from concept_graph.names import concept_id, inflections
from vta.text import normalise
from vta.types import (
    AddConcept,
    Concept,
    ConceptEdge,
    ConceptId,
    CourseId,
    ExplainConcept,
    LinkConcepts,
    MergeConcepts,
    RecordedEdit,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)


def find_concept(course_id: CourseId, name: str, known: Container[ConceptId]) -> ConceptId | None:
    """The known concept of a course that has this name, in any spelling, or it in the singular or plural."""
    plain = normalise(name)
    ids = (concept_id(course_id, form) for form in (plain, *sorted(inflections(plain))))
    return next((id for id in ids if id in known), None)


class EditedCourse:
    """One course's part of concepts and edges, which it changes in place."""

    def __init__(self, course_id: CourseId, concepts: dict[ConceptId, Concept], edges: EdgeTable) -> None:
        """Over the concepts and edges of all courses; the edges of this course are watched."""
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
                line = evidence or f"graph edit {recorded.number}"
                return self._link(self._find(before), self._find(after), line)
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
            replace(
                known,
                aliases=(
                    _aliases(known.name, (*known.aliases, *edit.aliases)) if edit.aliases else known.aliases
                ),
                definition=edit.definition or known.definition,
                domains=edit.domains or known.domains,
                score=1.0,
                curated=True,
            )
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
        return self._edges.take(concept.id)

    def _rename(self, concept: Concept | None, name: str) -> bool:
        if concept is None:
            return False
        other = self._find(name)
        if other is not None and other.id != concept.id:
            return self._merge(other, concept)  # a later build found it under its right name as well
        id = concept_id(self._course_id, name)
        aliases = _aliases(name, (concept.name, *concept.aliases))
        renamed = replace(concept, id=id, name=name, aliases=aliases, score=1.0, curated=True)
        edges = self._take(concept)
        self._put(renamed)
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
            replace(
                placed,
                aliases=_aliases(concept.name, (*concept.aliases, other.name, *other.aliases)),
                definition=concept.definition or other.definition,
                domains=tuple(dict.fromkeys((*concept.domains, *other.domains))),
                first_seen=concept.first_seen or other.first_seen,
                score=1.0,
                curated=True,
            )
        )
        self._connect(edges, other.id, concept.id)
        return True

    def _explain(self, concept: Concept | None, definition: str) -> bool:
        if concept is None:
            return False
        self._put(replace(concept, definition=definition, score=1.0, curated=True))
        return True

    def _link(self, before: Concept | None, after: Concept | None, evidence: str) -> bool:
        if before is None or after is None or before.id == after.id:
            return False
        self._edges.put(
            ConceptEdge(prerequisite=before.id, concept=after.id, evidence=(evidence,), curated=True)
        )
        return True

    def _unlink(self, before: Concept | None, after: Concept | None) -> bool:
        if before is None or after is None or (before.id, after.id) not in self._edges:
            return False
        self._edges.drop((before.id, after.id))
        return True

    def _put(self, concept: Concept) -> None:
        self._concepts[concept.id] = concept
        self._edges.watch(concept.id)

    def _connect(self, edges: Iterable[ConceptEdge], old: ConceptId, new: ConceptId) -> None:
        """Put edges back with another id for one of their ends, but none that joins a concept to itself."""
        for edge in edges:
            before, after = (new if end == old else end for end in (edge.prerequisite, edge.concept))
            if before != after:
                self._edges.put(replace(edge, prerequisite=before, concept=after))


def _aliases(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """What a concept of this name is called besides, each spelling that `normalise` tells apart once."""
    unlike = {normalise(each): each for each in reversed(others)}
    return tuple(unlike[key] for key in dict.fromkeys(map(normalise, others)) if key != normalise(name))


_Ends = tuple[ConceptId, ConceptId]


class EdgeTable:
    """Edges by their ends, each once; those of `watched` concepts are found by one end too."""

    def __init__(self, edges: Iterable[ConceptEdge], watched: Iterable[ConceptId]) -> None:
        self._touching: dict[ConceptId, dict[_Ends, None]] = {concept: {} for concept in watched}
        self._edges: dict[_Ends, ConceptEdge] = {}
        for edge in edges:
            self.put(edge)

    def __contains__(self, ends: _Ends) -> bool:
        return ends in self._edges

    def watch(self, concept: ConceptId) -> None:
        """Let the edges of a new concept be found by it."""
        self._touching.setdefault(concept, {})

    def put(self, edge: ConceptEdge) -> None:
        """Add an edge, or what it says to the one that is there already."""
        ends = edge.prerequisite, edge.concept
        self._edges[ends] = joined(self._edges.get(ends), edge)
        for end in ends:
            if end in self._touching:
                self._touching[end][ends] = None

    def drop(self, ends: _Ends) -> None:
        """Take an edge away."""
        del self._edges[ends]
        for end in ends:
            self._touching.get(end, {}).pop(ends, None)

    def take(self, concept: ConceptId) -> tuple[ConceptEdge, ...]:
        """Take all edges of a watched concept away, and give them back."""
        taken = tuple(self._edges[ends] for ends in self._touching[concept])
        for edge in taken:
            self.drop((edge.prerequisite, edge.concept))
        return taken

    def all(self) -> tuple[ConceptEdge, ...]:
        return tuple(self._edges.values())


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
