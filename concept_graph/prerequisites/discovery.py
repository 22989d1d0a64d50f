"""Prerequisite edges of a course: scored, each with the line that shows it, and without cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import networkx as nx
import numpy as np

from concept_graph.graph import break_cycles
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Vector
from concept_graph.prerequisites.evidence import Quotations
from concept_graph.prerequisites.model import THRESHOLD
from concept_graph.prerequisites.occurrences import Occurrences, TokenText, find, read
from concept_graph.prerequisites.signals import NameEncoder
from concept_graph.prerequisites.sureness import Candidates, find_candidates
from vta.types import Concept, ConceptEdge, ConceptId, QAPair

MOST_PREREQUISITES = 3
"""Of one concept; a student needs the nearest ones, and theirs follow from the graph."""
_TRIED = 4 * MOST_PREREQUISITES


def discover(
    passages: Sequence[QAPair], concepts: Sequence[Concept], *, encoder: NameEncoder | None = None
) -> tuple[ConceptEdge, ...]:
    """Prerequisite edges between concepts of one course, surest first, acyclic and without detours.

    Two concepts can be joined where one name is inside the other, or where one stands in a definition of the
    other or in a formula for it (`find_candidates`). They must share a line: it is the edge's evidence, with
    file and heading or second. The score is that of `Candidates.probabilities`, and at least
    `model.THRESHOLD`. Of a cycle the weakest edge goes, and an edge whose ends surer ones join; of the rest a
    concept keeps its `MOST_PREREQUISITES` surest.
    """
    text = read(passages)
    known, found = find_taught(text, concepts)
    if len(known) < 2:
        return ()
    candidates = find_candidates(text, known, found, encoder)
    return choose_edges(text, known, found, candidates, candidates.probabilities())


def find_taught(
    text: TokenText, concepts: Sequence[Concept]
) -> tuple[tuple[Concept, ...], tuple[Occurrences, ...]]:
    """The concepts that occur in the text, and where each does."""
    named = [concept for concept in concepts if surfaces(concept)]
    every = find(text, [(surfaces(concept),) for concept in named])
    taught = [n for n, occurrences in enumerate(every) if occurrences]
    return tuple(named[n] for n in taught), tuple(every[n] for n in taught)


def choose_edges(
    text: TokenText,
    concepts: Sequence[Concept],
    found: Sequence[Occurrences],
    candidates: Candidates,
    probable: Vector,
) -> tuple[ConceptEdge, ...]:
    """The edges of `discover` from candidates with their probabilities."""
    edges, quotations = [], Quotations(text)
    for before, after, score in _likeliest(candidates, probable):
        line = quotations.quote(found[before], found[after], surfaces(concepts[after]))
        if line is not None:
            edges.append(
                ConceptEdge(
                    prerequisite=concepts[before].id,
                    concept=concepts[after].id,
                    score=round(score, 4),
                    evidence=(line,),
                )
            )
    return _nearest(break_cycles(edges)[0])


def _likeliest(candidates: Candidates, probable: Vector) -> Iterator[tuple[int, int, float]]:
    """For each concept the likeliest of its prerequisites, surest first, each as (a, b, probability)."""
    tried: Counter[int] = Counter()
    for pair in np.argsort(-probable, kind="stable"):
        before, after = int(candidates.before[pair]), int(candidates.after[pair])
        if probable[pair] >= THRESHOLD and tried[after] < _TRIED:
            tried[after] += 1
            yield before, after, float(probable[pair])


def _nearest(edges: Sequence[ConceptEdge]) -> tuple[ConceptEdge, ...]:
    """Of acyclic edges, surest first, those that no longer way of surer edges replaces, few a concept."""
    nearest: nx.DiGraph[ConceptId] = nx.DiGraph()
    kept: Counter[ConceptId] = Counter()
    chosen = []
    for edge in edges:
        ends = edge.prerequisite, edge.concept
        nearest.add_nodes_from(ends)
        if kept[edge.concept] < MOST_PREREQUISITES and not nx.has_path(nearest, *ends):
            kept[edge.concept] += 1
            nearest.add_edge(*ends)
            chosen.append(edge)
    return tuple(chosen)
