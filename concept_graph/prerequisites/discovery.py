"""Prerequisite edges of a course: scored, each with the line that shows it, and without cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import networkx as nx
import numpy as np

from concept_graph.graph import break_cycles
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Matrix
from concept_graph.prerequisites.evidence import Quotations
from concept_graph.prerequisites.model import score_names
from concept_graph.prerequisites.occurrences import find, read
from concept_graph.prerequisites.signals import NameEncoder, Signals, measure
from vta.types import Concept, ConceptEdge, ConceptId, QAPair

MOST_PREREQUISITES = 3
"""Of one concept; a student needs the nearest ones, and theirs follow from the graph."""
LEAST_SCORE = 0.75
"""Of an edge: well above `model.THRESHOLD`, as a wrong edge costs a student more than a missing one."""
LEAST_SCORE_UNSAID = 0.85
"""Of an edge that neither the names nor a definition speak for."""
LEAST_RELATED = 0.5
"""In standard deviations above the mean of all pairs of the course's concepts."""
LEAST_TOGETHER = 2
"""Windows of the text with both, where neither names nor definitions join two concepts."""
LESS_SURE = {"part": 1.0, "related": 1.5}
"""Log odds that an edge loses where b is no kind of a and no definition of b holds a: where a's name is part
of b's in another way ("training", "training loop"), and where the two are merely related. Set by reading."""
_TRIED = 4 * MOST_PREREQUISITES


def discover(
    passages: Sequence[QAPair], concepts: Sequence[Concept], *, encoder: NameEncoder | None = None
) -> tuple[ConceptEdge, ...]:
    """Prerequisite edges between concepts of one course, surest first, acyclic and without detours.

    Two concepts can be joined where one name is inside the other, where one stands in a definition of the
    other, or where they are related (`LEAST_RELATED`) and stand together more than once. They must share a
    line: it is the edge's evidence, with file and heading or second. The score is made as in `score_pairs`
    and at least `LEAST_SCORE`, or `LEAST_SCORE_UNSAID` where they are merely related; what the edge keeps of
    it is less where the text says less (`LESS_SURE`). Of a cycle the weakest edge
    goes, and an edge whose ends others join; of the rest a concept keeps its `MOST_PREREQUISITES` surest.
    """
    text = read(passages)
    named = [concept for concept in concepts if surfaces(concept)]
    every = find(text, [(surfaces(concept),) for concept in named])
    taught = [n for n, occurrences in enumerate(every) if occurrences]
    known, found = [named[n] for n in taught], [every[n] for n in taught]
    if len(known) < 2:
        return ()
    said = [(surfaces(concept),) for concept in known]
    signals = measure(text, [concept.name for concept in known], said, found, encoder)
    scores = score_names(signals)
    joined = (signals.joined > 0) & (scores >= LEAST_SCORE)
    related = (signals.related >= LEAST_RELATED) & (signals.together >= LEAST_TOGETHER)
    joined |= related & (scores >= LEAST_SCORE_UNSAID)
    probable = _probabilities(scores, signals)
    edges, quotations = [], Quotations(text)
    for concept, row in _likeliest(np.where(joined, probable, 0)):
        for prerequisite in row:
            line = quotations.quote(found[prerequisite], found[concept], surfaces(known[concept]))
            if line is None:
                continue
            edges.append(
                ConceptEdge(
                    prerequisite=known[prerequisite].id,
                    concept=known[concept].id,
                    score=round(float(probable[prerequisite, concept]), 4),
                    evidence=(line,),
                )
            )
    return _nearest(break_cycles(edges)[0])


def _probabilities(scores: Matrix, signals: Signals) -> Matrix:
    less = np.where(signals.joined > 0, LESS_SURE["part"], LESS_SURE["related"]) * (signals.said == 0)
    odds = np.exp(-less) * scores / np.maximum(1 - scores, 1e-9)
    return np.asarray(odds / (1 + odds))


def _likeliest(scores: Matrix) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each concept with the likeliest of its prerequisites, surest first."""
    for concept in range(len(scores)):
        column = scores[:, concept]
        ranked = np.argsort(-column, kind="stable")[:_TRIED]
        yield concept, tuple(int(each) for each in ranked if column[each] > 0)


def _nearest(edges: Sequence[ConceptEdge]) -> tuple[ConceptEdge, ...]:
    """Acyclic edges, surest first, without those that a longer way replaces, few a concept."""
    given: nx.DiGraph[ConceptId] = nx.DiGraph([(edge.prerequisite, edge.concept) for edge in edges])
    direct = nx.transitive_reduction(given)
    kept: Counter[ConceptId] = Counter()
    nearest = []
    for edge in edges:
        if direct.has_edge(edge.prerequisite, edge.concept) and kept[edge.concept] < MOST_PREREQUISITES:
            kept[edge.concept] += 1
            nearest.append(edge)
    return tuple(nearest)
