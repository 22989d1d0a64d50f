"""Edges between concepts that the heading tree of a course says: the one above comes first."""

from __future__ import annotations

from collections.abc import Sequence

from concept_graph.extraction.aliases import same_key
from concept_graph.heading_names import heading_name
from concept_graph.headings import EDGE_SCORE
from vta.types import Concept, ConceptEdge, ConceptId, QAPair


def heading_edges(passages: Sequence[QAPair], concepts: Sequence[Concept]) -> tuple[ConceptEdge, ...]:
    """An edge from each concept that a heading names to the nearest one named below it.

    Each has the heading paths as evidence, in the order of the passages.
    """
    named = {same_key(name): concept.id for concept in concepts for name in (concept.name, *concept.aliases)}
    edges: dict[tuple[ConceptId, ConceptId], dict[str, None]] = {}
    for path in dict.fromkeys(passage.locator.heading_path for passage in passages):
        above: tuple[int, ConceptId] | None = None
        for depth, heading in enumerate(path):
            name = heading_name(heading)
            found = named.get(same_key(name.name)) if name else None
            if found is None:
                continue
            if above is not None and above[1] != found:
                evidence = "heading path: " + " > ".join(path[above[0] : depth + 1])
                edges.setdefault((above[1], found), {})[evidence] = None
            above = depth, found
    return tuple(
        ConceptEdge(prerequisite=before, concept=after, score=EDGE_SCORE, evidence=tuple(evidence))
        for (before, after), evidence in edges.items()
    )
