"""Cycles of prerequisites: where one would close, and where one is."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from concept_graph.headings import ConceptSet
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import ConceptEdge, ConceptId


def closing_cycle(edges: Iterable[ConceptEdge], edge: ConceptEdge) -> tuple[ConceptId, ...]:
    """The shortest cycle that the edge would close, from its prerequisite back to it, or ()."""
    graph = _graph(edges)
    if edge.concept == edge.prerequisite:
        return edge.prerequisite, edge.concept
    if edge.concept not in graph or edge.prerequisite not in graph:
        return ()
    if not nx.has_path(graph, edge.concept, edge.prerequisite):
        return ()
    path: list[ConceptId] = nx.shortest_path(graph, edge.concept, edge.prerequisite)
    return edge.prerequisite, *path


def find_cycle(edges: Iterable[ConceptEdge]) -> tuple[ConceptId, ...]:
    """A cycle among the edges, from a concept back to itself, or ()."""
    try:
        found: list[tuple[ConceptId, ConceptId]] = list(nx.find_cycle(_graph(edges)))
    except nx.NetworkXNoCycle:
        return ()
    return (*(before for before, _ in found), found[0][0])


def require_no_cycle(graph: ConceptSet, *, path: str) -> None:
    """`InvalidInput` that names a cycle of the edges, where there is one."""
    cycle = find_cycle(graph[1])
    if cycle:
        names = {concept.id: concept.name for concept in graph[0]}
        shown = " -> ".join(names[each] for each in cycle)
        raise InvalidInput(Fault("concept.cycle", names=shown).at(path, field="edges"))


def _graph(edges: Iterable[ConceptEdge]) -> nx.DiGraph[ConceptId]:
    return nx.DiGraph([(edge.prerequisite, edge.concept) for edge in edges])
