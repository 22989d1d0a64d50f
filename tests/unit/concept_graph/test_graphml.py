"""GraphML export, read back by networkx."""

from __future__ import annotations

import json

import networkx as nx

from concept_graph.graphml import write_graphml
from vta.types import Concept, ConceptEdge, ConceptId


def test_graphml_holds_concepts_and_edges() -> None:
    """Another reader finds the names, lists, scores and evidence, and no character that XML forbids."""
    stack = Concept(
        id=ConceptId("ds:栈"), name="栈", aliases=("stack", "<lifo>"), definition="a\u0000 & b", score=0.5
    )
    array = Concept(id=ConceptId("ds:数组"), name="数组")
    found = ConceptEdge(prerequisite=array.id, concept=stack.id, score=0.25, evidence=('"x"', "y"))
    graph = nx.parse_graphml(write_graphml([stack, array], [found]))
    assert graph.nodes["ds:栈"]["definition"] == "a & b"
    assert json.loads(graph.nodes["ds:栈"]["aliases"]) == ["stack", "<lifo>"]
    assert graph.nodes["ds:栈"]["score"] == 0.5
    edge = graph.edges["ds:数组", "ds:栈"]
    assert (edge["score"], json.loads(edge["evidence"])) == (0.25, ['"x"', "y"])
