"""Edges that can be found by their ends, while edits are applied to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vta.types import ConceptEdge, ConceptId

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
        """Add an edge; one that is there already has the higher score and the evidence of both then."""
        ends = edge.prerequisite, edge.concept
        known = self._edges.get(ends)
        if known is not None:
            edge = replace(
                edge,
                score=max(edge.score, known.score),
                evidence=tuple(dict.fromkeys((*known.evidence, *edge.evidence))),
                curated=edge.curated or known.curated,
            )
        self._edges[ends] = edge
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
