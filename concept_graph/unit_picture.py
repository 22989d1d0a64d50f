"""The concepts of a unit and what comes before what, as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import networkx as nx

from concept_graph.picture import draw_columns
from concept_graph.units import Unit
from vta.types import ConceptEdge, ConceptId, Language

MOST_DRAWN = 40
"""Concepts of a picture: those with the most edges in the unit."""

_TEXTS = {
    Language.ZH: ("“{}”中的先修关系", "左边的先学。虚线：尚不确定。"),
    Language.EN: ("Prerequisites in “{}”", "What comes first is on the left. Dashed lines: not sure."),
}


def draw_unit(unit: Unit, edges: Iterable[ConceptEdge], language: Language) -> str | None:
    """An SVG element as `draw_columns` makes it, of the edges inside the unit; None where there are none."""
    concepts = {concept.id: concept for concept in unit.concepts}
    inside = [edge for edge in edges if {edge.prerequisite, edge.concept} <= concepts.keys()]
    counts = Counter(end for edge in inside for end in (edge.prerequisite, edge.concept))
    drawn = {each for each, _ in counts.most_common(MOST_DRAWN)}
    shown = [edge for edge in inside if {edge.prerequisite, edge.concept} <= drawn]
    if not shown:
        return None
    links: nx.DiGraph[ConceptId] = nx.DiGraph((edge.prerequisite, edge.concept) for edge in shown)
    title, description = _TEXTS[language]
    return draw_columns(
        [[concepts[each] for each in column] for column in _columns(links)],
        tuple(links.edges),
        unsure={(edge.prerequisite, edge.concept) for edge in shown if not edge.is_sure},
        title=title.format(unit.name),
        description=description,
        language=language,
    )


def _columns(links: nx.DiGraph[ConceptId]) -> list[list[ConceptId]]:
    """Each concept to the right of all that comes before it, and about level with them."""
    columns: list[list[ConceptId]] = []
    row: dict[ConceptId, float] = {}
    for generation in nx.topological_generations(links):
        level = {
            each: sum(row[b] for b in before) / len(before)
            if (before := [*links.predecessors(each)])
            else 0.0
            for each in generation
        }
        columns.append(sorted(generation, key=lambda each: (level[each], each)))
        row.update((each, n) for n, each in enumerate(columns[-1]))
    return columns
