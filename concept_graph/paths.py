"""The order of teaching, and what must be known before a concept and builds on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import inf
from pathlib import PurePosixPath

import networkx as nx

from vta.ports import ConceptGraph
from vta.types.concepts import (
    Concept,
    ConceptEdge,
    ConceptStudy,
    LearningStep,
    Neighbourhood,
    Place,
    RelatedConcept,
    TaughtConcept,
)
from vta.types.courses import ConceptId

FARTHEST = 6
"""Edges of the shortest chain from a step of a learning path to its concept."""
MOST_STEPS = 12
"""Concepts of a learning path."""
MOST_DEPENDENTS = 12
"""Concepts listed as building directly on another."""
MOST_BEFORE = 3
"""Concepts shown as taught just before another."""
MOST_IN_COLUMN = 4
"""Concepts of a neighbourhood that are equally far from its concept."""

_LOOKED_AT = 24
_NUMBER = re.compile("[0-9]{1,9}")


def study_concept(
    graph: ConceptGraph,
    concept: Concept,
    *,
    find_place: Callable[[Concept], Place | None],
    farthest: int = FARTHEST,
    most: int = MOST_STEPS,
) -> ConceptStudy:
    """What comes before and after a concept, each with the place where it is taught.

    The path holds at most `most` concepts from which a chain of at most `farthest` sure edges leads to the
    concept: the nearest, equally near ones by their surest edge on a shortest chain, then by name. Each
    stands after all others of the path from which any chain leads to it; where that leaves the order open,
    what is taught first stands first (see `teaching_order`). Without a path, what is `taught_before` stands
    in its stead. `NotFound` for an unknown concept.
    """
    before, after = graph.chains(concept.id), graph.chains(concept.id, onward=True)
    find_place = cache(find_place)
    sure = [edge for edge in before if edge.is_sure]
    distance = rank(directed(sure).reverse(), concept.id, graph)
    chosen = [each for each in distance if distance[each] <= farthest][:most]
    path = nx.lexicographical_topological_sort(
        reduce_order(directed(before), chosen),
        key=lambda each: teaching_order(graph.concept(each), find_place(graph.concept(each))),
    )
    into = sorted((e for e in before if e.concept == concept.id), key=_surest_first)
    onto = sorted((e for e in after if e.prerequisite == concept.id), key=_surest_first)

    def relate(edge: ConceptEdge, end: ConceptId) -> RelatedConcept:
        other = graph.concept(end)
        return RelatedConcept(concept=other, edge=edge, place=find_place(other))

    def step(each: ConceptId) -> LearningStep:
        other = graph.concept(each)
        return LearningStep(concept=other, distance=distance[each], place=find_place(other))

    return ConceptStudy(
        concept=concept,
        place=find_place(concept),
        prerequisites=tuple(relate(edge, edge.prerequisite) for edge in into),
        path=tuple(map(step, path)),
        path_left_out=len(distance) - len(chosen),
        dependents=tuple(relate(edge, edge.concept) for edge in onto[:MOST_DEPENDENTS]),
        dependents_left_out=max(0, len(onto) - MOST_DEPENDENTS),
        taught_before=tuple(
            TaughtConcept(concept=each, place=find_place(each))
            for each in (taught_before(concept, _beside(concept, graph)) if not chosen else ())
        ),
    )


def _beside(concept: Concept, graph: ConceptGraph) -> Iterable[Concept]:
    """The concepts of the courses of one; no other course is read."""
    return {each.id: each for course in concept.courses for each in graph.concepts(course)}.values()


def taught_before(concept: Concept, concepts: Iterable[Concept]) -> tuple[Concept, ...]:
    """The explained concepts that the same folder of a course teaches just before one, in their order.

    At most `MOST_BEFORE`, of those at one place the surest. () where nothing tells the order: no place, and
    another document without a number in its path.
    """
    own = _placed(concept)
    folder = PurePosixPath(concept.document or "").parent
    earlier = [
        (place, each.score, each)
        for each in concepts
        if each.definition
        and each.document
        and set(each.courses) & set(concept.courses)
        and PurePosixPath(each.document).parent == folder
        and (place := _placed(each))
        and (each.document == concept.document or (own[1] and place[1]))
        and place < own
    ]
    return tuple(each for *_, each in sorted(earlier, key=lambda found: found[:2])[-MOST_BEFORE:])


def _placed(concept: Concept) -> tuple[object, ...]:
    """Where a concept is in the order of teaching, without what parts those at one place."""
    return teaching_order(concept, own_place(concept))[:4]


def own_place(concept: Concept) -> Place | None:
    """Where the course explains or first names a concept, as far as it is known."""
    return Place(document=concept.document, locator=concept.locator) if concept.document else None


def find_neighbourhood(graph: ConceptGraph, concept: Concept, *, depth: int = 1) -> Neighbourhood:
    """The concepts next to one: those before it in at most `depth` columns, and a column of those after it.

    Only sure edges count. Transitive edges are reduced before they are looked at: in the first column stands
    only what leads to the concept directly and not by way of another one; in the next, what so leads to the
    first. A column holds at most `MOST_IN_COLUMN` concepts, chosen as for the path of `study_concept`.
    """
    before, after = (
        [edge for edge in chains if edge.is_sure]
        for chains in (graph.chains(concept.id), graph.chains(concept.id, onward=True))
    )
    columns = _columns(directed(before).reverse(), concept.id, graph, depth)
    known = [each for column in columns for each in column]
    onward = directed(after)
    built = [each for column in _columns(onward, concept.id, graph, 1) for each in column]
    order = nx.compose(
        reduce_order(directed(before), [concept.id, *known]), reduce_order(onward, [concept.id, *built])
    )
    return Neighbourhood(
        concept=concept,
        before=tuple(tuple(map(graph.concept, column)) for column in columns),
        after=tuple(map(graph.concept, built)),
        order=tuple(sorted(order.edges)),
    )


def teaching_order(concept: Concept, place: Place | None) -> tuple[object, ...]:
    """A sort key: by the numbers in the document's path, its path, then page or second; unplaced ones last.

    So `07-tree.srt` is beside `07-tree.md`, and both are after `notes/02-array.md`. Equals go by name.
    """
    if place is None:
        return True, (), "", 0.0, concept.name, concept.id
    path = PurePosixPath(place.document)
    numbers = tuple(map(int, _NUMBER.findall(str(path.with_suffix("")))))
    at = place.locator.start_s if place.locator.start_s is not None else place.locator.page
    return False, numbers, place.document, float(at or 0), concept.name, concept.id


def _columns(
    links: nx.DiGraph[ConceptId], start: ConceptId, graph: ConceptGraph, depth: int
) -> list[list[ConceptId]]:
    """What stands in the columns around the start, nearest column first."""
    near = list(rank(links, start, graph, depth))[:_LOOKED_AT]
    order = reduce_order(links, (start, *near))
    columns = [[start]]
    for column in range(1, depth + 1):
        follow = {later for each in columns[-1] for later in order.successors(each)}
        found = [each for each in near if each in follow and _longest(order, each) == column]
        columns.append(found[:MOST_IN_COLUMN])
    return [column for column in columns[1:] if column]


def _longest(order: nx.DiGraph[ConceptId], end: ConceptId) -> int:
    """How many edges the longest chain has that ends there."""
    return int(nx.dag_longest_path_length(order.subgraph({end, *nx.ancestors(order, end)})))


def _surest_first(edge: ConceptEdge) -> tuple[float, ConceptId, ConceptId]:
    return -edge.score, edge.prerequisite, edge.concept


def directed(edges: Iterable[ConceptEdge]) -> nx.DiGraph[ConceptId]:
    """The edges with their scores, from each concept to those that it leads to."""
    links: nx.DiGraph[ConceptId] = nx.DiGraph()
    links.add_weighted_edges_from((edge.prerequisite, edge.concept, edge.score) for edge in edges)
    return links


def rank(
    links: nx.DiGraph[ConceptId], start: ConceptId, graph: ConceptGraph, farthest: float = inf
) -> dict[ConceptId, int]:
    """The distance of all that is reached from the start, nearest first (see `study_concept`)."""
    distance, layer = {start: 0}, [start]
    while layer and distance[layer[0]] < farthest:
        surest: dict[ConceptId, float] = {}
        for each in layer:
            for other, score in links.adj[each].items() if each in links else ():
                if other not in distance:
                    surest[other] = max(score["weight"], surest.get(other, 0.0))
        farther = distance[layer[0]] + 1
        layer = sorted(surest, key=lambda each: (-surest[each], graph.concept(each).name, each))
        distance.update(dict.fromkeys(layer, farther))
    del distance[start]
    return distance


def reduce_order(links: nx.DiGraph[ConceptId], chosen: Sequence[ConceptId]) -> nx.DiGraph[ConceptId]:
    """Which of the chosen lead to which, over any chain of links, without what follows from the rest."""
    reached: nx.DiGraph[ConceptId] = nx.DiGraph()
    reached.add_nodes_from(chosen)
    for each in chosen:
        after = nx.descendants(links, each) if each in links else frozenset()
        reached.add_edges_from((each, other) for other in chosen if other in after)
    reduced: nx.DiGraph[ConceptId] = nx.transitive_reduction(reached)
    return reduced
