"""Prerequisite edges of a course: scored, each with the line that shows it, and without cycles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from concept_graph.graph import break_cycles
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Matrix, count
from concept_graph.prerequisites.evidence import Quotations
from concept_graph.prerequisites.model import THRESHOLD, score_names
from concept_graph.prerequisites.occurrences import find, read
from concept_graph.prerequisites.signals import containment, name_words
from vta.types import Concept, ConceptEdge, QAPair

MOST_PREREQUISITES = 5
"""Of one concept; a student needs the nearest ones, and theirs follow from the graph."""
LEAST_RELATED = 0.5
"""In standard deviations above the mean of all pairs of the course's concepts."""
_TRIED = 4 * MOST_PREREQUISITES


def discover(passages: Sequence[QAPair], concepts: Sequence[Concept]) -> tuple[ConceptEdge, ...]:
    """Prerequisite edges between concepts of one course, surest first, acyclic.

    Only related concepts (`LEAST_RELATED`, or one name inside the other) that stand together in some line
    can be an edge: that line is its evidence, with file and heading or second. The score is made as in
    `score_pairs`, at least `THRESHOLD`; of a concept the `MOST_PREREQUISITES` surest are kept, and of a
    cycle all but the weakest.
    """
    text = read(passages)
    named = [concept for concept in concepts if surfaces(concept)]
    every = find(text, [(surfaces(concept),) for concept in named])
    taught = [n for n, occurrences in enumerate(every) if occurrences]
    known, found = [named[n] for n in taught], [every[n] for n in taught]
    if len(known) < 2:
        return ()
    counts = count(text, found)
    words = name_words([concept.name for concept in known])
    scored = score_names(counts, words)
    related = (scored.related >= LEAST_RELATED) | (containment(words) > 0)
    edges, quotations = [], Quotations(text)
    for concept, row in _likeliest(np.where(related, scored.scores, 0)):
        kept = 0
        for prerequisite in row:
            line = quotations.quote(found[prerequisite], found[concept], surfaces(known[concept]))
            if line is None:
                continue
            edges.append(
                ConceptEdge(
                    prerequisite=known[prerequisite].id,
                    concept=known[concept].id,
                    score=round(float(scored.scores[prerequisite, concept]), 4),
                    evidence=(line,),
                )
            )
            kept += 1
            if kept == MOST_PREREQUISITES:
                break
    return break_cycles(edges)[0]


def _likeliest(scores: Matrix) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each concept with the likeliest of its prerequisites, surest first."""
    for concept in range(len(scores)):
        column = scores[:, concept]
        ranked = np.argsort(-column, kind="stable")[:_TRIED]
        yield concept, tuple(int(each) for each in ranked if column[each] >= THRESHOLD)
