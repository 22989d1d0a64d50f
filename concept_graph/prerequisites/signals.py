"""How likely a name a is a prerequisite of b, by weak signals from counts and from the names themselves.

a is a prerequisite of b where the two are related, and a comes first:

    P(a before b) = logistic(RELATED max(R, 0) + BIAS + ASKED (A - TYPICAL))
                    * logistic(sum over k of DIRECTED_WEIGHTS_k D_k)

R is the signal `related` and D_k are those of `DIRECTED`. What is unrelated is told from the related
no further: below the mean of a course's pairs R says nothing. A is the mean R of the pairs that are asked
about: where somebody chose related pairs, more of them are prerequisites. The numbers are fitted to open
labelled pairs of three fields (`benchmarks/prerequisite_fitting.py`, which also says what they reach on a
field that was left out). ODDS, by which the odds of P are raised, brings F1 at `THRESHOLD` near its best on
them. Of (a, b) and (b, a) at most one reaches `THRESHOLD`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from concept_graph.prerequisites.counts import Counts, Matrix, Vector, count
from concept_graph.prerequisites.definitions import find_definitions
from concept_graph.prerequisites.occurrences import (
    Forms,
    Occurrences,
    TokenText,
    find,
    plain,
    singular_word,
    tokens,
)
from vta.scoring import logistics
from vta.text import FIRST_HAN, stem

NameWords = Sequence[tuple[str, ...]]
DIRECTED = ("before", "commonness", "familiarity", "naming", "definitions", "headings")
_FEW = 3.0
"""So many mentions of a name make the places of its mentions tell sqrt(1/2) of what those of many do."""
_BELIEVED, _IN_ORDER = 10.0, 0.65
"""What is believed of a course before it is seen: of so many pairs, this share stands in order."""
_FAR = 3.0
"""Deviations: where few names are inside others, those that are would count beyond all else."""
_MOST_UNDER = 0.5
"""Of the passages under a heading: where more mention a thing, it says no more."""


class NameEncoder(Protocol):
    """What is known of names beyond the course."""

    def embed(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Rows of unit length, near where their meaning is."""

    def commonness(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """The log probability of each text's words in language at large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Signals of n names, n x n each: `related`, and those of `DIRECTED`, which change sign with the order.

    `related`, `commonness`, `familiarity` and `naming` have deviation 1 over the pairs of the course;
    `before` has more where the course is taught in order. What places of mentions say is less where a name
    has few of them, and nothing where only a part of it was found.
    The others are 0 to 1 and say something of a and b: `inside`, that all words of a are among those of b;
    `kinds`, that b is a kind of a by its name ("tree", "binary tree"); `within`, that a sentence that
    defines b holds a; `under`, how many of the passages under a heading of b mention a.
    """

    related: Matrix
    directed: tuple[Matrix, ...]
    inside: Matrix
    kinds: Matrix
    within: Matrix
    under: Matrix
    counts: Counts


def measure(
    text: TokenText,
    names: Sequence[str],
    said: Sequence[Forms],
    found: Sequence[Occurrences],
    encoder: NameEncoder | None,
) -> Signals:
    """The signals of names; `said` are the forms of each, `found` its occurrences (some)."""
    counts = count(text, found)
    definitions = find_definitions(text, [[form for group in each for form in group] for each in said])
    under = np.minimum(under_headings(text, found, said), _MOST_UNDER) / _MOST_UNDER
    qualified, words = name_words(names), name_words([plain(name) for name in names])
    parts = [tuple(map(singular_word, tokens(name))) for name in names]
    stems, inside, within = containment(qualified), containment(parts), definitions.within
    kinds = inside * _kinds(parts)
    related = unit(_sum_of_ranks(relatedness(counts, qualified, likeness(names, encoder)), len(names)))
    placed = np.sqrt(counts.mentions / (counts.mentions + _FEW)) * [each.whole for each in found]
    sure = placed[:, None] * placed[None, :]
    before = np.log1p(counts.before)
    built_upon = np.maximum.reduce((kinds, within, under - under.T)) * (sure > 0)
    told = teaching_order(before - before.T, built_upon) if text.ordered else 0.0
    common = np.zeros(len(names))
    if encoder is not None:
        common[:] = encoder.commonness([plain(name) for name in names])
    directed = (
        unit(_ranks(before - before.T)) * sure * told,
        unit(_ranks(_rise(common))),
        unit(_ranks(familiarity(counts, words))),
        np.clip(unit(_sum_of_ranks((_rise(_made(stems)), stems - stems.T), len(names))), -_FAR, _FAR),
        (within - within.T) * sure,
        (under - under.T) * sure,
    )
    said_related = sum(np.maximum(each, each.T) for each in (within, inside, under))
    return Signals(
        related=np.asarray(related + said_related),
        directed=directed,
        inside=inside,
        kinds=kinds,
        within=within,
        under=under,
        counts=counts,
    )


def teaching_order(before: Matrix, built_upon: Matrix) -> float:
    """How far the order of a course is one in which things are taught, from 0 on: 0 for any order.

    The log odds that of two names, where the second's name, definition or section is built upon the first
    (`built_upon`, 0 to 1), the first comes before (`before` is positive there), after `_BELIEVED` such pairs.
    """
    agree = float((built_upon * (np.sign(before) + 1) / 2).sum()) + _BELIEVED * _IN_ORDER
    share = agree / (float(built_upon.sum()) + _BELIEVED)
    return max(float(np.log(share / (1 - share))), 0.0)


def name_words(names: Sequence[str]) -> NameWords:
    """The stems of each name's words, a qualifier's included, in order and each once."""
    return tuple(tuple(dict.fromkeys(map(stem, tokens(name)))) for name in names)


def likeness(names: Sequence[str], encoder: NameEncoder | None) -> Matrix | None:
    """The cosines of the names' vectors, without their qualifiers; None without an encoder."""
    if encoder is None or not names:
        return None
    rows = np.asarray(encoder.embed([plain(name) for name in names]), dtype=np.float64)
    return np.asarray(rows @ rows.T)


def relatedness(counts: Counts, words: NameWords, cosines: Matrix | None) -> Iterator[Matrix]:
    """Symmetric signals, n x n, high where two names belong together.

    Likeness of contexts; co-occurrence in passages and in windows of a sentence's length (signed root of
    Dunning's log likelihood ratio, which unlike PMI does not favour rare names); shared words of names;
    likeness of meaning, where there is an encoder.
    """
    yield np.asarray(counts.contexts @ counts.contexts.T, dtype=np.float64)
    yield _association(counts.together_passages, counts.passages)
    yield _association(counts.together_windows, counts.windows)
    yield _overlap(words)
    if cosines is not None:
        yield cosines


def familiarity(counts: Counts, words: NameWords) -> Matrix:
    """High where the rarest word of a's name is commoner in the course than that of b's."""
    rarest = [min((counts.words[word] for word in each), default=0) for each in words]
    return _rise(np.log(np.maximum(np.array(rarest, dtype=np.float64), 1)))


def unit(matrix: Matrix) -> Matrix:
    """The matrix scaled so that its pairs off the diagonal have deviation 1."""
    deviation = float(matrix[_pairs(len(matrix))].std()) if len(matrix) > 1 else 0.0
    return matrix / deviation if deviation > 1e-12 else np.zeros_like(matrix)


def _sum_of_ranks(signals: Iterable[Matrix], n: int) -> Matrix:
    total = np.zeros((n, n))
    for signal in signals:
        total += _ranks(signal)
    return total


def _ranks(signal: Matrix) -> Matrix:
    """Mid-ranks among the pairs off the diagonal, mean 0, deviation 1; nothing where all are equal."""
    n = len(signal)
    values = np.round(signal[_pairs(n)], 9)
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(times) - (times - 1) / 2
    ranks = middle[which]
    ranked = np.zeros((n, n))
    ranked[_pairs(n)] = ranks - ranks.mean() if ranks.size else 0.0
    return unit(ranked)


def _pairs(n: int) -> NDArray[np.bool_]:
    return ~np.eye(n, dtype=bool)


def _kinds(words: NameWords) -> Matrix:
    """1 where b ends with the words of a."""
    kinds = np.zeros((len(words), len(words)))
    for a, b, _ in _sharing(words):
        kinds[a, b] = words[b][-len(words[a]) :] == words[a]
    return kinds


def _made(inside: Matrix) -> Vector:
    """How many names are made from each: "tree" from "binary tree"."""
    return np.asarray(np.log1p(inside.sum(axis=1)))


def _rise(value: Vector) -> Matrix:
    """value[a] - value[b]."""
    return np.asarray(value[:, None] - value[None, :])


def _association(together: Matrix, units: int) -> Matrix:
    alone = together.diagonal()
    both, first, second = together, alone[:, None] - together, alone[None, :] - together
    neither = units - both - first - second
    gain = _entropy(both + first, second + neither) + _entropy(both + second, first + neither)
    gain -= _entropy(both, first, second, neither)
    above = np.sign(both - alone[:, None] * alone[None, :] / max(units, 1))
    return np.asarray(np.sqrt(np.maximum(2 * gain, 0)) * above)


def _entropy(*parts: Matrix) -> Matrix:
    """- sum of k log(k / N)."""
    whole = np.asarray(sum(parts))
    terms = (k * np.log(np.maximum(k, 1e-12) / np.maximum(whole, 1e-12)) for k in parts)
    return -np.asarray(sum(terms))


def containment(words: NameWords) -> Matrix:
    """1 where all words of a are among b's, and b has more; Chinese characters in one piece."""
    inside = np.zeros((len(words), len(words)))
    for a, b, shared in _sharing(words):
        if shared == len(set(words[a])) < len(words[b]) and len(words[a]) < len(words[b]):
            inside[a, b] = max(words[a]) < FIRST_HAN or "".join(words[a]) in "".join(words[b])
    return inside


def _overlap(words: NameWords) -> Matrix:
    """The share of the words of two names that they have in common (Jaccard)."""
    overlap = np.zeros((len(words), len(words)))
    for a, b, shared in _sharing(words):
        overlap[a, b] = shared / (len(words[a]) + len(words[b]) - shared)
    return overlap


def _sharing(words: NameWords) -> Iterator[tuple[int, int, int]]:
    """The ordered pairs of names with a word in common, and how many they have."""
    having: dict[str, list[int]] = defaultdict(list)
    for n, each in enumerate(words):
        for word in each:
            having[word].append(n)
    for a, each in enumerate(words):
        shared = Counter(b for word in dict.fromkeys(each) for b in dict.fromkeys(having[word]) if b != a)
        for b, times in shared.items():
            yield a, b, times


def under_headings(text: TokenText, found: Sequence[Occurrences], names: Sequence[Forms]) -> Matrix:
    """[a, b]: the share of the passages right under a heading with name b that mention a; 0 for no heading.

    `found` are the occurrences of the names in the text. A passage without headings stands under its title.
    """
    headings = tuple((pair.locator.heading_path or (pair.question,))[-1] for pair in text.passages)
    above = TokenText(
        passages=tuple(
            replace(pair, answer=each) for pair, each in zip(text.passages, headings, strict=True)
        ),
        tokens=tuple(map(tokens, headings)),
        documents=text.documents,
    )
    mentioning: dict[int, list[int]] = {}
    for name, occurrences in enumerate(found):
        for passage in np.unique(occurrences.passages).tolist():
            mentioning.setdefault(passage, []).append(name)
    share = np.zeros((len(found), len(found)))
    for name, occurrences in enumerate(find(above, names)):
        taught = np.unique(occurrences.passages).tolist()
        for passage in taught:
            share[mentioning.get(passage, []), name] += 1 / len(taught)
    return share


THRESHOLD = 0.5
"""Scores from here on say that a is a prerequisite of b."""
RELATED, BIAS, ASKED = 0.75, -0.14, 3.63
DIRECTED_WEIGHTS = (0.99, 0.21, 0.34, 0.54, 0.46, 0.58)
"""Of before, commonness, familiarity, naming, definitions, headings."""
TYPICAL = 0.7
"""The mean R of pairs that somebody asks about."""
ODDS = 1.7
_PAIRS_BELIEVED = 10
"""So many pairs of the typical R are added to those that are asked about."""
_JUST_BELOW = 0.499


def asked_related(signals: Signals, pairs: Iterable[tuple[int, int]]) -> float:
    """A of pairs of names, given by their numbers, whichever way round and however often."""
    asked = sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})
    total = sum(float(signals.related[a, b]) for a, b in asked)
    return (total + _PAIRS_BELIEVED * TYPICAL) / (len(asked) + _PAIRS_BELIEVED)


def score_names(signals: Signals, *, asked: float = TYPICAL) -> Matrix:
    """For each name a (row) and b (column): how likely a is a prerequisite of b; 0 on the diagonal.

    `asked` is A, see `asked_related`.
    """
    direction = np.asarray(
        sum(weight * each for weight, each in zip(DIRECTED_WEIGHTS, signals.directed, strict=True))
    )
    related = RELATED * np.maximum(signals.related, 0) + BIAS + ASKED * (asked - TYPICAL)
    scores = combine(related, direction)
    np.fill_diagonal(scores, 0)
    return scores


def combine(related: Matrix, direction: Matrix) -> Matrix:
    """The scores of pairs from the log odds that they are related, and that they are the right way round."""
    joint = logistics(related) * logistics(direction)
    scores = ODDS * joint / (1 + (ODDS - 1) * joint)
    return np.asarray(np.where(direction > 0, scores, np.minimum(scores, _JUST_BELOW)))
