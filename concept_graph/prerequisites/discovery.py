"""Prerequisite edges of a course: scored, each with the line that shows it, and without cycles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import networkx as nx
import numpy as np

from concept_graph.defining import DefiningSentences
from concept_graph.graph import break_cycles
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Vector
from concept_graph.prerequisites.occurrences import (
    Occurrence,
    Occurrences,
    Places,
    TokenText,
    find,
    read,
    tokens,
)
from concept_graph.prerequisites.signals import THRESHOLD, NameEncoder
from concept_graph.prerequisites.sureness import Candidates, find_candidates
from vta.places import evidence_place
from vta.sentences import split_sentences
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId
from vta.types.pairs import QAPair

MOST_PREREQUISITES = 3
"""Of one concept; a student needs the nearest ones, and theirs follow from the graph."""
_TRIED = 4 * MOST_PREREQUISITES


def discover(
    passages: Sequence[QAPair], concepts: Sequence[Concept], *, encoder: NameEncoder | None = None
) -> tuple[ConceptEdge, ...]:
    """Prerequisite edges between concepts of one course, surest first and without cycles.

    Two concepts can be joined where one name is inside the other, or where one stands in a definition of the
    other or in a formula for it (`find_candidates`). They must share a line: it is the edge's evidence, with
    file and heading or second. The score is that of `Candidates.probabilities`, and at least
    `THRESHOLD`. Dropped are the weakest edge of each cycle and edges whose ends surer edges already join; of
    the rest each concept keeps its `MOST_PREREQUISITES` surest.
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
    """Drop edges whose ends surer edges already join, and all but the surest few of each concept."""
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


MAX_LINE = 240
"""Characters of a quoted line; longer ones are cut around the two names."""
_PASSAGES_TRIED = 20
_MARKUP = re.compile(r"\A[-*+>\s]+|\*+|`+")
_NO_PROSE = re.compile(
    r"\A\s*\||\w\(\"|[=!]=|\w\.\w+\(|\A\s*(?:def|return|raise|assert|import|for|if|while)\s"
)
_SPACES = re.compile(r"\s+")
Near = tuple[int, Occurrence, Occurrence]
"""The tokens between two mentions of a passage, the first of the mentions, the last."""


class Quotations:
    """Finds the lines of one course; the sentences of a passage are counted once."""

    def __init__(self, text: TokenText) -> None:
        self._text = text
        self._sentences: dict[int, tuple[tuple[int, str], ...]] = {}

    def quote(self, prerequisite: Occurrences, concept: Occurrences, names: Iterable[str]) -> str | None:
        """The place and the line in which both stand, closest together; None where they never share one.

        The likelier a line defines the concept, by one of its `names`, the earlier it goes, and prose before
        rows of tables and code.
        """
        defining = DefiningSentences({"concept": names})
        best: tuple[float, bool, int, str] | None = None
        for distance, first, last in closest(prerequisite, concept, _PASSAGES_TRIED):
            line = self._line(first, last)
            if line is not None:
                place = evidence_place(self._text.passages[first.passage])
                prose = _MARKUP.sub("", line)
                found = (
                    -round(max((sure for _, sure in defining.explained(prose)), default=0.0), 1),
                    _NO_PROSE.search(prose) is not None,
                    distance,
                    f"{place}: {line}",
                )
                best = found if best is None else min(best, found)
        return best[3] if best else None

    def _line(self, first: Occurrence, last: Occurrence) -> str | None:
        """The sentence that holds both mentions, as written; None where it is cut in between."""
        if first.passage not in self._sentences:
            answer = self._text.passages[first.passage].answer
            split = split_sentences(answer)
            self._sentences[first.passage] = tuple((len(tokens(each)), each) for each in split)
        at = 0
        for size, sentence in self._sentences[first.passage]:
            if at <= first.start and last.start + last.length <= at + size:
                plain = _SPACES.sub(" ", sentence).strip()
                return (
                    plain if len(plain) <= MAX_LINE else _cut(plain, first.start - at, last.start - at, size)
                )
            at += size
        return None


def _cut(sentence: str, first: int, last: int, size: int) -> str | None:
    """About MAX_LINE characters around the tokens `first` to `last` of `size`; None if they are farther."""
    middle = len(sentence) * (first + last) // (2 * size)
    begin = max(0, min(middle - MAX_LINE // 2, len(sentence) - MAX_LINE))
    if (last - first) * len(sentence) > size * MAX_LINE * 3 // 4:
        return None
    return f"…{sentence[begin : begin + MAX_LINE].strip()}…"


def closest(some: Occurrences, others: Occurrences, most: int) -> list[Near]:
    """The `most` passages in which the two come closest, closest first, each with the two mentions.

    Mentions that overlap are not two. Of equal distances the earlier mention of `some` counts, of equally
    distant passages the earlier passage. Time grows with the mentions, not with their pairs.
    """
    if not len(some) or not len(others):
        return []
    begins, ends = _keys(some)
    other_begins, other_ends = _keys(others)
    order = np.argsort(other_ends, kind="stable")
    sorted_ends = other_ends[order]
    last = np.searchsorted(sorted_ends, begins, side="right") - 1
    before = order[np.searchsorted(sorted_ends, sorted_ends[last])]
    after = np.searchsorted(other_begins, ends)
    partner = np.stack((before, np.minimum(after, len(others) - 1)), axis=1).ravel()
    exists = np.stack((last >= 0, after < len(others)), axis=1).ravel()
    which = np.repeat(np.arange(len(some)), 2)
    gap = np.maximum(begins[which] - other_ends[partner], other_begins[partner] - ends[which])
    near = np.flatnonzero(exists & (some.passages[which] == others.passages[partner]))
    near = near[np.lexsort((some.passages[which[near]], gap[near]))]
    found: dict[int, Near] = {}
    for n in near:
        one, other = some[int(which[n])], others[int(partner[n])]
        first, second = (one, other) if one.start < other.start else (other, one)
        found.setdefault(one.passage, (int(gap[n]), first, second))
        if len(found) == most:
            break
    return list(found.values())


def _keys(mentions: Occurrences) -> tuple[Places, Places]:
    """Begin and end of each mention as one number, ordered by passage."""
    begins = (mentions.passages.astype(np.int64) << 32) + mentions.starts
    return begins, begins + mentions.lengths
