"""The concepts of a unit and what comes before them, as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import networkx as nx

from concept_graph.picture import draw_columns
from concept_graph.units import Unit
from vta.types import Concept, ConceptEdge, ConceptId, Language

MOST_DRAWN = 40
"""Concepts of a picture: those with the most edges."""

_TEXTS = {
    Language.ZH: ("“{}”中的先修关系", "左边的先学，深色的属于本单元。虚线：尚不确定。"),
    Language.EN: (
        "Prerequisites in “{}”",
        "What comes first is on the left; concepts of the unit are darker. Dashed lines: not sure.",
    ),
}


def draw_unit(
    unit: Unit, edges: Iterable[ConceptEdge], known: Mapping[ConceptId, Concept], language: Language
) -> str | None:
    """An SVG element of the edges that lead to the unit's concepts; None where there are none.

    `known` are the concepts of the course: prerequisites from other units are drawn too, lighter.
    """
    own = {concept.id for concept in unit.concepts}
    leading = [edge for edge in edges if edge.concept in own]
    counts = Counter(end for edge in leading for end in (edge.prerequisite, edge.concept))
    drawn = {each for each, _ in counts.most_common(MOST_DRAWN)}
    shown = [edge for edge in leading if {edge.prerequisite, edge.concept} <= drawn]
    if not shown:
        return None
    links: nx.DiGraph[ConceptId] = nx.DiGraph((edge.prerequisite, edge.concept) for edge in shown)
    title, description = _TEXTS[language]
    return draw_columns(
        [[known[each] for each in column] for column in _columns(links)],
        tuple(links.edges),
        unsure={(edge.prerequisite, edge.concept) for edge in shown if not edge.is_sure},
        marked=own,
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
