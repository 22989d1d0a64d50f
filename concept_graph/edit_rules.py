"""What an edit must hold before it is recorded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace

from concept_graph.concept_file import MAX_NAME
from concept_graph.edited_course import find_concept
from concept_graph.graph import closing_cycle
from concept_graph.names import concept_id, name_key, surfaces
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.ports import ConceptGraph
from vta.text import normalise
from vta.types.concepts import (
    AddConcept,
    Concept,
    ConceptEdge,
    ExplainConcept,
    GraphEdit,
    LinkConcepts,
    MergeConcepts,
    RejectConcept,
    RenameConcept,
    UnlinkConcepts,
)
from vta.types.courses import ConceptId, Course

LONGEST_TEXT = 5_000
"""Characters of an explanation or of evidence."""


def check_edit(edit: GraphEdit, *, course: Course, graph: ConceptGraph) -> GraphEdit:
    """The edit as it is to be recorded: with the names of the concepts meant, however they were called.

    A text that the graph says already is not recorded: it is the material's, and goes with it.

    `NotFound` for a concept or an edge that the course has not. `InvalidInput` for a name that is taken, an
    empty or too long text, and a prerequisite that would close a cycle. Both name the field of the edit. A
    concept that was found and that no person has confirmed may be added: that confirms it.
    """
    rules = _Rules(course, graph)
    match edit:
        case AddConcept():
            return rules.add(edit)
        case RejectConcept():
            return replace(edit, concept=rules.find(edit.concept, "concept").name)
        case RenameConcept():
            return rules.rename(edit)
        case MergeConcepts():
            return rules.merge(edit)
        case ExplainConcept():
            concept = rules.find(edit.concept, "concept")
            definition = _text(edit.definition, "definition") if edit.definition.strip() else ""
            return replace(edit, concept=concept.name, definition=definition)
        case LinkConcepts():
            return rules.link(edit)
        case UnlinkConcepts():
            return rules.unlink(edit)


class _Rules:
    """The rules over the graph of one course as it is now."""

    def __init__(self, course: Course, graph: ConceptGraph) -> None:
        self._course, self._graph = course, graph
        self._edges = graph.edges(course.id)
        self._concepts = {concept.id: concept for concept in graph.concepts(course.id)}
        self._called = dict(_called(self._concepts.values()))

    def find(self, name: str, field: str) -> Concept:
        """The concept called so, by its name or else by an alias; `NotFound` names the field."""
        given = _name(name, field)
        found = self._meant(given)
        if found is None:
            unknown = Fault("graph.no_concept_of_course", course=self._course.id, name=given)
            raise NotFound(unknown.at(field=field))
        return self._concepts[found]

    def add(self, edit: AddConcept) -> AddConcept:
        found = self._concepts.get(concept_id(self._course.id, edit.name))
        own = None if found is None or found.curated else found.id
        name = self._free(edit.name, "name", besides=own)
        aliases = tuple(self._free(alias, f"aliases[{n}]", own) for n, alias in enumerate(edit.aliases))
        domains = tuple(_text(domain, f"domains[{n}]") for n, domain in enumerate(edit.domains))
        definition = _text(edit.definition, "definition") if edit.definition else ""
        return replace(
            edit,
            name=name,
            aliases=aliases,
            definition="" if found and definition == found.definition else definition,
            domains=domains or self._course.domains,
        )

    def rename(self, edit: RenameConcept) -> RenameConcept:
        concept = self.find(edit.concept, "concept")
        if edit.name.strip() == concept.name:
            raise InvalidInput(Fault("graph.same_name", name=concept.name).at(field="name"))
        return replace(edit, concept=concept.name, name=self._free(edit.name, "name", besides=concept.id))

    def merge(self, edit: MergeConcepts) -> MergeConcepts:
        concept, other = self.find(edit.concept, "concept"), self.find(edit.other, "other")
        if concept.id == other.id:
            same = Fault("graph.same_concept", other=edit.other, name=concept.name)
            raise InvalidInput(same.at(field="other"))
        return replace(edit, concept=concept.name, other=other.name)

    def link(self, edit: LinkConcepts) -> LinkConcepts:
        before, after = self.find(edit.prerequisite, "prerequisite"), self.find(edit.concept, "concept")
        edge = ConceptEdge(prerequisite=before.id, concept=after.id)
        known = {
            "\n".join(each.evidence)
            for each in self._edges
            if (each.prerequisite, each.concept) == (before.id, after.id)
        }
        cycle = closing_cycle(self._edges, edge)
        if cycle:
            names = " -> ".join(self._concepts[each].name for each in cycle)
            raise InvalidInput(Fault("graph.would_close_cycle", names=names).at(field="prerequisite"))
        evidence = _text(edit.evidence, "evidence") if edit.evidence else ""
        evidence = "" if evidence in known else evidence
        return replace(edit, prerequisite=before.name, concept=after.name, evidence=evidence)

    def unlink(self, edit: UnlinkConcepts) -> UnlinkConcepts:
        before, after = self.find(edit.prerequisite, "prerequisite"), self.find(edit.concept, "concept")
        if before.id not in {each.id for each in self._graph.prerequisites(after.id)}:
            unknown = Fault("graph.no_prerequisite", prerequisite=before.name, concept=after.name)
            raise NotFound(unknown.at(field="prerequisite"))
        return replace(edit, prerequisite=before.name, concept=after.name)

    def _free(self, name: str, field: str, besides: ConceptId | None = None) -> str:
        """The name, which no other concept of the course is called by."""
        given = _name(name, field)
        taken = self._meant(given)
        if taken is not None and taken != besides:
            other = Fault("graph.name_taken", given=given, name=self._concepts[taken].name)
            raise InvalidInput(other.at(field=field))
        return given

    def _meant(self, name: str) -> ConceptId | None:
        own = find_concept(self._course.id, name, self._concepts)
        return own or self._called.get(normalise(name)) or self._called.get(name_key(name))


def _called(concepts: Iterable[Concept]) -> Iterator[tuple[str, ConceptId]]:
    """Concepts by all their names and aliases, and these in the singular."""
    for concept in concepts:
        for form in surfaces(concept):
            yield form, concept.id
            yield name_key(form), concept.id


def _name(text: str, field: str) -> str:
    name = _text(text, field)
    if len(name) > MAX_NAME:
        raise InvalidInput(Fault("concept.too_long", most=MAX_NAME, length=len(name)).at(field=field))
    if not normalise(name) or any(c in "\t\r\n" for c in name):
        raise InvalidInput(Fault("graph.not_one_line").at(field=field))
    return name


def _text(text: str, field: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise InvalidInput(Fault("concept.empty").at(field=field))
    if len(stripped) > LONGEST_TEXT:
        too_long = Fault("concept.too_long", most=LONGEST_TEXT, length=len(stripped))
        raise InvalidInput(too_long.at(field=field))
    if any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\r\n" for c in stripped):
        raise InvalidInput(Fault("concept.control_characters").at(field=field))
    return stripped
