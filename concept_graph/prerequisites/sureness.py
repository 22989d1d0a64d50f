"""How sure it is that one concept of a course must be known before another.

    P(a before b) = logistic(sum over k of w_k s_k)

The features s_k are those of `features`: what names, definitions and formulas say, and how sure both are
concepts at all. The weights w_k, in `words/prerequisites.toml`, are fitted to edges of eight courses that a
reader judged (`benchmarks/shown_edges.py`, which also says what they reach on a course that was left out);
the bias is such that of the edges from `vta.types.concepts.SURE` on 0.88 were right in courses left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concept_graph.names import singular, surfaces
from concept_graph.prerequisites.counts import Matrix, Vector
from concept_graph.prerequisites.definitions import read_statements
from concept_graph.prerequisites.occurrences import Occurrences, TokenText, in_code, plain, tokens
from concept_graph.prerequisites.signals import NameEncoder, Signals, measure, score_names
from concept_graph.word_files import read_words
from vta.scoring import linear, logistics
from vta.types.concepts import Concept

_JOINING = frozenset({"and", "or", "和", "与", "或", "及"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Pairs of concepts that may be edges: the numbers of a and of b, and each feature of all pairs."""

    before: NDArray[np.intp]
    after: NDArray[np.intp]
    features: Mapping[str, Vector]

    def probabilities(self, weights: Mapping[str, float] | None = None) -> Vector:
        """P(a before b) of each pair, by the shipped weights where no others are given."""
        return logistics(linear(weights or read_words("prerequisites"), self.features))


def find_candidates(
    text: TokenText, concepts: Sequence[Concept], found: Sequence[Occurrences], encoder: NameEncoder | None
) -> Candidates:
    """The pairs of concepts of which the course says something: by a name, a definition or a formula.

    `found` are the occurrences of the concepts in the text, of each at least one.
    """
    names = [concept.name for concept in concepts]
    signals = measure(text, names, [(surfaces(each),) for each in concepts], found, encoder)
    defined, computed = read_statements(text, concepts)
    defined = np.maximum(defined, signals.within)
    scores = score_names(signals)
    said = np.maximum.reduce((signals.inside * (scores > scores.T), defined, computed))
    before, after = np.nonzero(said)
    found_features = features(concepts, signals, defined, computed, before, after)
    found_features["in_code"] = _sum_of_shares(text, found, before, after)
    return Candidates(before=before, after=after, features=found_features)


def features(
    concepts: Sequence[Concept],
    signals: Signals,
    defined: Matrix,
    computed: Matrix,
    before: NDArray[np.intp],
    after: NDArray[np.intp],
) -> dict[str, Vector]:
    """The features of pairs (a, b); `standing` is the share of the course's concepts that are less sure."""
    pair = before, after
    standing = np.argsort(np.argsort([each.score for each in concepts], kind="stable")) / len(concepts)
    words = [[singular(word) for word in tokens(plain(each.name))] for each in concepts]
    inside, counts = signals.inside[pair], signals.counts
    joined = [_joins(words[a], words[b]) for a, b in zip(*pair, strict=True)]
    return {
        "concepts": np.minimum(standing[before], standing[after]),
        "often": np.log(counts.together_windows.diagonal()[before]),
        "first": np.array(counts.first[before] < counts.first[after], dtype=float),
        "under": signals.under[pair],
        "made_from": inside * standing[before],
        "family": inside * np.log1p(signals.kinds.sum(axis=1))[before],
        "part": inside - signals.kinds[pair],
        "joined": inside * joined,
        "defined_related": defined[pair] * np.maximum(signals.related[pair], 0),
        "computed": computed[pair],
    }


def _sum_of_shares(
    text: TokenText, found: Sequence[Occurrences], before: NDArray[np.intp], after: NDArray[np.intp]
) -> Vector:
    """How much of the mentions of a, and of b, is code, together 0 to 2."""
    code, offsets = in_code(text), text.offsets()
    places = [each.places(offsets) for each in found]
    ends = [place + each.lengths - 1 for place, each in zip(places, found, strict=True)]
    shares = np.array([(code[place] | code[end]).mean() for place, end in zip(places, ends, strict=True)])
    return np.asarray(shares[before] + shares[after])


def _joins(part: Sequence[str], name: Sequence[str]) -> bool:
    """Whether a name is a part and another thing ("arrays and lists"), or a part and a number ("Part 3")."""
    rest = list(name)
    for word in part:
        if word in rest:
            rest.remove(word)
    return bool(rest) and (rest[0] in _JOINING or rest[-1] in _JOINING or any(map(str.isdecimal, rest)))
