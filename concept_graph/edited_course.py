"""One course's part of the graph, while edits are applied to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from concept_graph.names import concept_id, name_key
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

_Ends = tuple[ConceptId, ConceptId]


def names_of(concepts: Iterable[Concept]) -> dict[str, ConceptId]:
    """Concepts by what they are called: in any spelling, else in the singular or plural."""
    concepts = tuple(concepts)
    found = {normalise(concept.name): concept.id for concept in concepts}
    for concept in concepts:
        found.setdefault(name_key(concept.name), concept.id)
    return found


def find_name(names: dict[str, ConceptId], name: str) -> ConceptId | None:
    """The concept of that name among `names_of`."""
    return names.get(normalise(name)) or names.get(name_key(name))


class EditedCourse:
    """One course's part of concepts and edges, which it changes in place."""

    def __init__(
        self, course_id: CourseId, concepts: dict[ConceptId, Concept], edges: dict[_Ends, ConceptEdge]
    ) -> None:
        self._course_id = course_id
        self._concepts, self._edges = concepts, edges
        own = [concept for concept in concepts.values() if course_id in concept.courses]
        self._names = names_of(own)
        self._touching: dict[ConceptId, dict[_Ends, None]] = {concept.id: {} for concept in own}
        for ends in edges:
            self._note(ends)

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
        found = find_name(self._names, name)
        return None if found is None else self._concepts.get(found)

    def _add(self, edit: AddConcept) -> bool:
        known = self._find(edit.name)
        if known is None:
            id = concept_id(self._course_id, edit.name)
            known = Concept(id=id, name=edit.name, domains=edit.domains, courses=(self._course_id,))
        self._put(
            replace(
                known,
                aliases=_aliases(known.name, (*known.aliases, *edit.aliases)),
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
        for ends in self._touching.pop(concept.id):
            self._forget(ends)
        del self._concepts[concept.id]
        for name in (normalise(concept.name), name_key(concept.name)):
            if self._names.get(name) == concept.id:
                del self._names[name]
        return True

    def _rename(self, concept: Concept | None, name: str) -> bool:
        if concept is None:
            return False
        other = self._find(name)
        if other is not None and other.id != concept.id:
            return self._merge(other, concept)  # a later build found it under its right name as well
        id = concept_id(self._course_id, name)
        aliases = _aliases(name, (concept.name, *concept.aliases))
        renamed = replace(concept, id=id, name=name, aliases=aliases, score=1.0, curated=True)
        edges = [self._edges[ends] for ends in self._touching[concept.id]]
        self._remove(concept)
        self._put(renamed)
        self._connect(edges, {concept.id: id})
        return True

    def _merge(self, concept: Concept | None, other: Concept | None) -> bool:
        if concept is None or other is None or concept.id == other.id:
            return False
        edges = [self._edges[ends] for ends in self._touching[other.id]]
        self._remove(other)
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
        self._connect(edges, {other.id: concept.id})
        return True

    def _explain(self, concept: Concept | None, definition: str) -> bool:
        if concept is None:
            return False
        self._put(replace(concept, definition=definition, score=1.0, curated=True))
        return True

    def _link(self, before: Concept | None, after: Concept | None, evidence: str) -> bool:
        if before is None or after is None or before.id == after.id:
            return False
        edge = ConceptEdge(prerequisite=before.id, concept=after.id, evidence=(evidence,), curated=True)
        self._connect([edge], {})
        return True

    def _unlink(self, before: Concept | None, after: Concept | None) -> bool:
        if before is None or after is None or (before.id, after.id) not in self._edges:
            return False
        self._forget((before.id, after.id))
        return True

    def _put(self, concept: Concept) -> None:
        self._concepts[concept.id] = concept
        self._touching.setdefault(concept.id, {})
        for name in (name_key(concept.name), normalise(concept.name)):
            self._names.setdefault(name, concept.id)

    def _connect(self, edges: Iterable[ConceptEdge], renamed: dict[ConceptId, ConceptId]) -> None:
        """Put edges in, with other ends where these have another id now; one that is there already grows."""
        for edge in edges:
            ends = renamed.get(edge.prerequisite, edge.prerequisite), renamed.get(edge.concept, edge.concept)
            if ends[0] == ends[1]:
                continue
            known = self._edges.get(ends)
            self._edges[ends] = ConceptEdge(
                prerequisite=ends[0],
                concept=ends[1],
                score=max(edge.score, known.score) if known else edge.score,
                evidence=tuple(dict.fromkeys((*(known.evidence if known else ()), *edge.evidence))),
                curated=edge.curated or (known is not None and known.curated),
            )
            self._note(ends)

    def _note(self, ends: _Ends) -> None:
        for end in ends:
            if end in self._touching:
                self._touching[end][ends] = None

    def _forget(self, ends: _Ends) -> None:
        self._edges.pop(ends, None)
        for end in ends:
            self._touching.get(end, {}).pop(ends, None)


def _aliases(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """What a concept of this name is called besides, each spelling that `normalise` tells apart once."""
    unlike = {normalise(each): each for each in reversed(others)}
    return tuple(unlike[key] for key in dict.fromkeys(map(normalise, others)) if key != normalise(name))
