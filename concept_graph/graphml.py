"""Concepts and edges as GraphML, for graph tools such as Gephi or yEd."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

import networkx as nx

from vta.types import Concept, ConceptEdge

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(concepts: Iterable[Concept], edges: Iterable[ConceptEdge]) -> str:
    """A GraphML document with a node a concept and an edge from each prerequisite.

    Lists (aliases, domains, courses, evidence) are written as JSON texts; characters that XML cannot hold
    are left out.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for concept in concepts:
        graph.add_node(
            _plain(concept.id),
            name=_plain(concept.name),
            aliases=_listed(concept.aliases),
            definition=_plain(concept.definition),
            domains=_listed(concept.domains),
            courses=_listed(concept.courses),
            score=concept.score,
            first_seen=_plain(concept.first_seen or ""),
        )
    for edge in edges:
        ends = _plain(edge.prerequisite), _plain(edge.concept)
        graph.add_edge(*ends, score=edge.score, evidence=_listed(edge.evidence))
    return "\n".join(nx.generate_graphml(graph, named_key_ids=True)) + "\n"


def _plain(text: str) -> str:
    return _NOT_XML.sub("", text)


def _listed(values: Iterable[str]) -> str:
    return _plain(json.dumps(list(values), ensure_ascii=False))
