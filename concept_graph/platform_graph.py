"""One graph of the platform from what its documents say, course by course."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from concept_graph.headings import ConceptSet, merge
from vta.types import Concept, ConceptEdge, ConceptId


def unite(documents: Iterable[ConceptSet]) -> ConceptSet:
    """The concepts and edges of all documents that hold together; each is kept once however often it comes.

    A concept seen in several documents of a course is one, with the first explanation found. Where a course
    has curated concepts they rule, else where it has built ones those do: its other ones only complete their
    explanations and places.
    """
    curated, built, weak = _Seen(), _Seen(), _Seen()
    for concepts, edges in documents:
        found = built if any(concept.built for concept in concepts) else weak
        for concept in concepts:
            (curated if concept.curated else found).add_concept(concept)
        for edge in edges:
            (curated if edge.curated else found).add_edge(edge)
    concepts, edges = merge(curated.all(), merge(built.all(), weak.all()))
    for tier in (curated, built):
        ruled = {course for concept in tier.concepts.values() for course in concept.courses}
        concepts = tuple(
            c for c in concepts if c.curated or c.id in tier.concepts or not ruled.intersection(c.courses)
        )
    kept = {concept.id for concept in concepts}
    return concepts, tuple(edge for edge in edges if {edge.prerequisite, edge.concept} <= kept)


class _Seen:
    """What came so far, each concept and edge once."""

    def __init__(self) -> None:
        self.concepts: dict[ConceptId, Concept] = {}
        self._edges: dict[tuple[ConceptId, ConceptId], ConceptEdge] = {}

    def add_concept(self, concept: Concept) -> None:
        """The first that has an explanation stays, else the first, with the aliases of all."""
        before = self.concepts.setdefault(concept.id, concept)
        if before is concept:
            return
        chosen = concept if concept.definition and not before.definition else before
        aliases = tuple(dict.fromkeys((*before.aliases, *concept.aliases)))
        self.concepts[concept.id] = chosen if chosen.aliases == aliases else replace(chosen, aliases=aliases)

    def add_edge(self, edge: ConceptEdge) -> None:
        """The higher score and the evidence of both stay."""
        ends = edge.prerequisite, edge.concept
        before = self._edges.setdefault(ends, edge)
        if before is edge:
            return
        evidence = tuple(dict.fromkeys((*before.evidence, *edge.evidence)))
        if edge.score > before.score or evidence != before.evidence:
            self._edges[ends] = replace(before, score=max(edge.score, before.score), evidence=evidence)

    def all(self) -> ConceptSet:
        return tuple(self.concepts.values()), tuple(self._edges.values())
