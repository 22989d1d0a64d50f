"""Which concepts lead to which: distances and reduced order, each link of the graph being followed once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from math import inf
from operator import or_

import networkx as nx

from vta.ports import ConceptGraph
from vta.types import ConceptEdge, ConceptId

Links = dict[ConceptId, dict[ConceptId, float]]
"""From each concept to its neighbours in one direction, with the scores of the edges."""


def outward(edges: Iterable[ConceptEdge]) -> Links:
    """From each concept to those that it leads to, with the scores."""
    links: Links = defaultdict(dict)
    for edge in edges:
        links[edge.prerequisite][edge.concept] = edge.score
    return links


def inward(edges: Iterable[ConceptEdge]) -> Links:
    """From each concept to its prerequisites, with the scores."""
    links: Links = defaultdict(dict)
    for edge in edges:
        links[edge.concept][edge.prerequisite] = edge.score
    return links


def rank(links: Links, start: ConceptId, graph: ConceptGraph, farthest: float = inf) -> dict[ConceptId, int]:
    """The distance of all that is reached from the start, nearest first (see `study_concept`)."""
    distance, layer = {start: 0}, [start]
    while layer and distance[layer[0]] < farthest:
        surest: dict[ConceptId, float] = {}
        for each in layer:
            for other, score in links.get(each, {}).items():
                if other not in distance:
                    surest[other] = max(score, surest.get(other, 0.0))
        farther = distance[layer[0]] + 1
        layer = sorted(surest, key=lambda each: (-surest[each], graph.concept(each).name, each))
        distance.update(dict.fromkeys(layer, farther))
    del distance[start]
    return distance


def find_order(links: Links, chosen: Sequence[ConceptId]) -> nx.DiGraph[ConceptId]:
    """Which of the chosen lead to which, over any chain of links."""
    reached: nx.DiGraph[ConceptId] = nx.DiGraph()
    reached.add_nodes_from(chosen)
    bits = _reach(links, chosen)
    for each in chosen:
        reached.add_edges_from((each, other) for n, other in enumerate(chosen) if bits[each] >> n & 1)
    return reached


def reduce_order(links: Links, chosen: Sequence[ConceptId]) -> nx.DiGraph[ConceptId]:
    """`find_order` without what follows from the rest."""
    reduced: nx.DiGraph[ConceptId] = nx.transitive_reduction(find_order(links, chosen))
    return reduced


def _reach(links: Links, chosen: Sequence[ConceptId]) -> dict[ConceptId, int]:
    """For each concept met, a bit for each of the chosen that it leads to; every link is followed once."""
    own = {each: 1 << n for n, each in enumerate(chosen)}
    bits: dict[ConceptId, int] = {}
    waiting = list(chosen)
    while waiting:
        each = waiting[-1]
        later = links.get(each, {})
        unknown = [] if each in bits else [other for other in later if other not in bits]
        if unknown:
            waiting.extend(unknown)
            continue
        waiting.pop()
        if each not in bits:
            bits[each] = reduce(or_, (own.get(other, 0) | bits[other] for other in later), 0)
    return bits
