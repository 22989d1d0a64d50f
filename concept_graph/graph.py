"""The concept graph over networkx: which concepts come before which, always without cycles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import networkx as nx

from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput, NotFound
from vta.faults import Fault
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId, CourseId

Edges = dict[tuple[ConceptId, ConceptId], ConceptEdge]
"""Edges by prerequisite and concept, each once."""


class NetworkxConceptGraph:
    """Concepts and prerequisite edges as a directed acyclic graph; implements `vta.ports.ConceptGraph`.

    The same edge given twice is one edge with the higher score and the evidence of both. Cycles are broken
    by leaving out the weakest edge of each (see `break_cycles`).
    Two concepts with one id, or an edge naming an unknown concept, are `InvalidInput`.
    """

    def __init__(self, concepts: Iterable[Concept], edges: Iterable[ConceptEdge]) -> None:
        self._graph: nx.DiGraph[ConceptId] = nx.DiGraph()
        for concept in concepts:
            if concept.id in self._graph:
                raise InvalidInput(Fault("graph.concept_twice", concept=concept.id), field="concepts")
            self._graph.add_node(concept.id, concept=concept)
        merged: Edges = {}
        for edge in edges:
            add_edge(merged, edge)
            for end in (edge.prerequisite, edge.concept):
                if end not in self._graph:
                    loose = Fault(
                        "graph.loose_edge", prerequisite=edge.prerequisite, concept=edge.concept, end=end
                    )
                    raise InvalidInput(loose, field="edges")
        for edge in break_cycles(tuple(merged.values())):
            self._graph.add_edge(edge.prerequisite, edge.concept, edge=edge)

    def concept(self, concept_id: ConceptId) -> Concept:
        """The concept, or `NotFound`."""
        if concept_id not in self._graph:
            raise NotFound(Fault("graph.no_concept", concept=concept_id), field="concept")
        found: Concept = self._graph.nodes[concept_id]["concept"]
        return found

    def concepts(self, course_id: CourseId | None = None) -> tuple[Concept, ...]:
        """All concepts, or those of one course, by name."""
        every: Iterable[Concept] = (data["concept"] for _, data in self._graph.nodes(data=True))
        chosen = (each for each in every if course_id is None or course_id in each.courses)
        return tuple(sorted(chosen, key=_by_name))

    def prerequisites(self, concept_id: ConceptId, *, least: float = 0.0) -> tuple[Concept, ...]:
        """Direct prerequisites with a score of at least `least` and curated ones, by score, then name.

        `NotFound` for an unknown id.
        """
        self.concept(concept_id)
        edges: list[ConceptEdge] = [data["edge"] for *_, data in self._graph.in_edges(concept_id, data=True)]
        ranked = sorted(edges, key=lambda edge: (-edge.score, _by_name(self.concept(edge.prerequisite))))
        return tuple(
            self.concept(edge.prerequisite) for edge in ranked if edge.curated or edge.score >= least
        )

    def edges(self, course_id: CourseId | None = None) -> tuple[ConceptEdge, ...]:
        """All edges, or those with both ends in one course, by the ids of concept and prerequisite."""
        every: Iterable[ConceptEdge] = (data["edge"] for *_, data in self._graph.edges(data=True))
        chosen = (edge for edge in every if course_id is None or self._within(edge, course_id))
        return tuple(sorted(chosen, key=_by_ends))

    def chains(self, concept_id: ConceptId, *, onward: bool = False) -> tuple[ConceptEdge, ...]:
        """The edges of all paths to the concept, or `onward` from it; `NotFound` for an unknown id."""
        self.concept(concept_id)
        reached = (nx.descendants if onward else nx.ancestors)(self._graph, concept_id)
        edges = self._graph.out_edges if onward else self._graph.in_edges
        found = edges((concept_id, *reached), data=True)
        return tuple(sorted((data["edge"] for *_, data in found), key=_by_ends))

    def _within(self, edge: ConceptEdge, course_id: CourseId) -> bool:
        return all(course_id in self.concept(end).courses for end in (edge.prerequisite, edge.concept))


def break_cycles(edges: Sequence[ConceptEdge]) -> tuple[ConceptEdge, ...]:
    """The edges of an acyclic graph, surest first.

    Edges are taken surest first (equal scores by ids), and one that would close a cycle with those already
    taken is left out: it is the weakest of that cycle, and putting back any of them closes one again.
    Only edges inside a strongly connected component can do so, hence only those are examined.
    """
    given: nx.DiGraph[ConceptId] = nx.DiGraph([(edge.prerequisite, edge.concept) for edge in edges])
    component = {node: n for n, nodes in enumerate(nx.strongly_connected_components(given)) for node in nodes}
    taken: nx.DiGraph[ConceptId] = nx.DiGraph()
    kept = []
    for edge in sorted(edges, key=lambda edge: (-edge.score, edge.prerequisite, edge.concept)):
        if component[edge.prerequisite] == component[edge.concept]:
            taken.add_nodes_from((edge.prerequisite, edge.concept))
            if nx.has_path(taken, edge.concept, edge.prerequisite):
                continue
            taken.add_edge(edge.prerequisite, edge.concept)
        kept.append(edge)
    return tuple(kept)


def joined(known: ConceptEdge | None, edge: ConceptEdge) -> ConceptEdge:
    """Merge two copies of an edge: the higher score, the evidence of both, curated if either is."""
    if known is None or known == edge:
        return edge
    evidence = tuple(dict.fromkeys((*known.evidence, *edge.evidence)))
    curated = edge.curated or known.curated
    return replace(edge, score=max(edge.score, known.score), evidence=evidence, curated=curated)


def add_edge(edges: Edges, edge: ConceptEdge) -> None:
    """Add an edge, or merge it into the one that is there."""
    ends = edge.prerequisite, edge.concept
    edges[ends] = joined(edges.get(ends), edge)


def _by_ends(edge: ConceptEdge) -> tuple[ConceptId, ConceptId]:
    return edge.concept, edge.prerequisite


def _by_name(concept: Concept) -> tuple[str, str]:
    return concept.name, concept.id


def closing_cycle(edges: Iterable[ConceptEdge], edge: ConceptEdge) -> tuple[ConceptId, ...]:
    """The shortest cycle that the edge would close, from its prerequisite back to it, or ()."""
    graph = _graph(edges)
    graph.add_nodes_from((edge.prerequisite, edge.concept))
    try:
        path: list[ConceptId] = nx.shortest_path(graph, edge.concept, edge.prerequisite)
    except nx.NetworkXNoPath:
        return ()
    return edge.prerequisite, *path


def require_no_cycle(graph: ConceptSet, *, path: str) -> None:
    """`InvalidInput` that names a cycle of the edges, where there is one."""
    try:
        cycle = nx.find_cycle(_graph(graph[1]))
    except nx.NetworkXNoCycle:
        return
    names = {concept.id: concept.name for concept in graph[0]}
    shown = " -> ".join(names[each] for each in (cycle[0][0], *(after for _, after in cycle)))
    raise InvalidInput(Fault("concept.cycle", names=shown).at(path, field="edges"))


def _graph(edges: Iterable[ConceptEdge]) -> nx.DiGraph[ConceptId]:
    return nx.DiGraph([(edge.prerequisite, edge.concept) for edge in edges])
