"""Prerequisite edges of a course: scored, each with the line that shows it, and without cycles.

    P(a before b) = logistic(sum over k of w_k s_k)

The features s_k are those of `features`: what names, definitions and formulas say, and how sure both are
concepts at all. The weights w_k, in `words/prerequisites.toml`, are fitted to edges of eight courses that a
reader judged (`benchmarks/shown_edges.py`, which also says what they reach on a course that was left out);
the bias is such that of the edges from `vta.types.concepts.SURE` on 0.93 were right in courses left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from concept_graph.defining import DefiningSentences, sentences
from concept_graph.graph import break_cycles
from concept_graph.names import surfaces
from concept_graph.prerequisites.occurrences import (
    Occurrences,
    TokenText,
    Words,
    contained,
    find,
    plain,
    read,
    singular_word,
    tokens,
)
from concept_graph.prerequisites.quotations import Quotations
from concept_graph.prerequisites.signals import THRESHOLD, Vector
from concept_graph.word_files import read_words
from vta.scoring import linear, logistics
from vta.text import normalise
from vta.types.concepts import Concept, ConceptEdge
from vta.types.courses import ConceptId
from vta.types.pairs import QAPair

MOST_PREREQUISITES = 3
"""Of one concept; a student needs the nearest ones, and theirs follow from the graph."""
LEAST_PASSAGES = 3
"""A concept that fewer passages name gets no prerequisites: of those shown 50 of 71 were right, of others 307
of 350."""
_TRIED = 4 * MOST_PREREQUISITES
_JOINING = frozenset({"and", "or", "和", "与", "或", "及"})
Ends = tuple[int, int]


def discover(passages: Sequence[QAPair], concepts: Sequence[Concept]) -> tuple[ConceptEdge, ...]:
    """Prerequisite edges between concepts of one course, surest first and without cycles.

    Two concepts can be joined where one name is inside the other, or where one stands in the definition of
    the other or in a formula for it (`find_candidates`). They must share a line: it is the edge's evidence,
    with file and heading or second. The score is that of `Candidates.probabilities`, and at least
    `THRESHOLD`. Dropped are the weakest edge of each cycle and edges whose ends surer edges already join; of
    the rest each concept keeps its `MOST_PREREQUISITES` surest.
    """
    text = read(passages)
    known, found = find_taught(text, concepts)
    candidates = find_candidates(text, known, found)
    return choose_edges(text, known, found, candidates, candidates.probabilities())


def find_taught(
    text: TokenText, concepts: Sequence[Concept]
) -> tuple[tuple[Concept, ...], tuple[Occurrences, ...]]:
    """The concepts that occur in the text, and where each does."""
    named = [concept for concept in concepts if surfaces(concept)]
    every = zip(named, find(text, [(surfaces(concept),) for concept in named]), strict=True)
    taught = [(concept, found) for concept, found in every if len(found)]
    return tuple(concept for concept, _ in taught), tuple(found for _, found in taught)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Pairs of concepts that may be edges: the numbers of a and of b, and each feature of all pairs."""

    before: NDArray[np.int64]
    after: NDArray[np.int64]
    features: Mapping[str, Vector]

    def probabilities(self, weights: Mapping[str, float] | None = None) -> Vector:
        """P(a before b) of each pair, by the shipped weights where no others are given."""
        return logistics(linear(weights or read_words("prerequisites"), self.features))


def find_candidates(text: TokenText, concepts: Sequence[Concept], found: Sequence[Occurrences]) -> Candidates:
    """The pairs of concepts of which the course says something: by a name, a definition or a formula.

    `found` are the occurrences of the concepts in the text, of each at least one. The second of a pair stands
    in at least `LEAST_PASSAGES`.
    """
    words = [tuple(map(singular_word, tokens(plain(concept.name)))) for concept in concepts]
    inside = set(contained(words))
    names = DefiningSentences({str(n): surfaces(each) for n, each in enumerate(concepts)})
    defined = {(a, b) for b, each in enumerate(concepts) for a in names_in(each.definition, names) if a != b}
    computed = {pair for pair in read_formulas(text, names) if pair[0] != pair[1]}
    named = [len(np.unique(each.passages)) for each in found]
    pairs = sorted(pair for pair in inside | defined | computed if named[pair[1]] >= LEAST_PASSAGES)
    before, after = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    standing = np.argsort(np.argsort([each.score for each in concepts], kind="stable")) / len(concepts)
    made = Counter(a for a, _ in inside)
    first = np.array([each.places[0] for each in found], dtype=np.int64)
    often = np.log([len(each) for each in found])
    rows = [
        {
            "made": np.log1p(made[a]) if (a, b) in inside else 0.0,
            "joined": (a, b) in inside and _joins(words[a], words[b]),
            "defined": (a, b) in defined,
            "computed": (a, b) in computed,
            "concepts": min(standing[a], standing[b]),
            "often": often[a],
            "first": first[a] < first[b],
        }
        for a, b in pairs
    ]
    features = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in FEATURES}
    return Candidates(before=before, after=after, features=features)


FEATURES = ("made", "joined", "defined", "computed", "concepts", "often", "first")
"""Of a pair (a, b): the log of how many names are made from a, b's among them; that b joins a to another
thing; that b's definition, or a formula for b, holds a; the share of concepts that are less sure than both;
the log of how often a is mentioned; that a is mentioned first."""


def _joins(part: Words, name: Words) -> bool:
    """Whether a name is a part and another thing ("arrays and lists"), or a part and a number ("Part 3")."""
    rest = list((Counter(name) - Counter(part)).elements())
    return bool(rest) and (rest[0] in _JOINING or rest[-1] in _JOINING or any(map(str.isdecimal, rest)))


def names_in(text: str, names: DefiningSentences) -> Iterator[int]:
    """The longest names of a text, from left to right, none inside another, as numbers."""
    at = 0
    while at < len(text):
        starts_word = at == 0 or not (text[at - 1].isascii() and text[at - 1].isalnum())
        found = names.names_at(text, at) if starts_word or text[at] > "\u3400" else []
        if found:
            at, key = max(found)
            yield int(key)
        else:
            at += 1


_EQUALS = re.compile(r"(?<![=!<>:+\-*/])\s*[=＝]\s*(?!=)")
_OPERATOR = re.compile(r"[/×÷*+−－—–-]|\\frac|\\times|\\div|(?<=\s)x(?=\s)|除以|[减乘加]")
_LATEX = re.compile(r"\\(?:text|textrm|mathrm|operatorname)\s*\{([^{}]*)\}")
_CODE = re.compile(r"\w\(|\w\.\w+\(|[=!<>]=|<-|\w_\w|\[\w*[:,\]]")
_AFTER_NAME = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z|[{}$&\\\s]+\Z")


def read_formulas(text: TokenText, names: DefiningSentences) -> Iterator[Ends]:
    """(a, b) for each name a in a sum, product or quotient that is said to equal b."""
    for passage in text.passages:
        for sentence in sentences(passage.answer) if _EQUALS.search(passage.answer) else ():
            left, *rest = _EQUALS.split(sentence)
            right = _LATEX.sub(r" \1 ", " ".join(rest))
            if _OPERATOR.search(right) and not _CODE.search(sentence):
                b = _last_name(normalise(_AFTER_NAME.sub("", _LATEX.sub(r" \1 ", left))), names)
                yield from ((a, int(b)) for a in names_in(right, names) if b)


def _last_name(text: str, names: DefiningSentences) -> str | None:
    """The longest name at the end of a text."""
    starts = (at for at in range(len(text)) if not (at and text[at - 1].isascii() and text[at - 1].isalnum()))
    return next((key for at in starts if (key := names.owner(text[at:]))), None)


def choose_edges(
    text: TokenText,
    concepts: Sequence[Concept],
    found: Sequence[Occurrences],
    candidates: Candidates,
    probable: Vector,
) -> tuple[ConceptEdge, ...]:
    """The edges of `discover` from candidates with their probabilities."""
    edges, quotations = [], Quotations(text)
    for a, b, score in _likeliest(candidates, probable):
        line = quotations.quote(found[a], found[b], surfaces(concepts[b]))
        if line is not None:
            edges.append(
                ConceptEdge(
                    prerequisite=concepts[a].id,
                    concept=concepts[b].id,
                    score=round(score, 4),
                    evidence=(line,),
                )
            )
    return _nearest(break_cycles(edges))


def _likeliest(candidates: Candidates, probable: Vector) -> Iterator[tuple[int, int, float]]:
    """For each concept the likeliest of its prerequisites, surest first, each as (a, b, probability)."""
    tried: Counter[int] = Counter()
    for pair in np.argsort(-probable, kind="stable"):
        before, after = int(candidates.before[pair]), int(candidates.after[pair])
        if probable[pair] >= THRESHOLD and tried[after] < _TRIED:
            tried[after] += 1
            yield before, after, float(probable[pair])


def _nearest(edges: Iterable[ConceptEdge]) -> tuple[ConceptEdge, ...]:
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
