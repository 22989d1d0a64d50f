"""Features of a candidate, and the probability that it is a term of the course's subject.

P is a logistic regression over the features. Its weights are in `words/naming.toml`: fitted by
`benchmarks/concept_names.py` to the glossaries of textbooks and to judged names of courses, each standing for
one course.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from concept_graph.extraction.candidates import Counted, TermCandidate
from concept_graph.extraction.material import Material, SeedKind
from concept_graph.extraction.runs import Run, is_han, join_words
from concept_graph.extraction.vocabulary import JOINING, fold, vocabulary
from concept_graph.word_files import read_words
from vta.scoring import linear
from vta.text import segmenter

Matrix = NDArray[np.float64]

FEATURES = (
    "frequency",
    "spread",
    "focus",
    "tf_idf",
    "association",
    "entropy",
    "nested",
    "words",
    "letters",
    "single",
    "noun_use",
    "verb_use",
    "noun_tag",
    "opening_tag",
    "generic_part",
    "joined",
    "weak_word",
    "defined",
    "in_headings",
    "head_of_seeds",
    "part_of_seeds",
    "generality",
    "background",
    "capitals",
)

_NOUN_TAGS = ("n", "vn", "l", "i", "eng", "j")
_OPENING_TAGS = frozenset({"d", "f", "q", "t", "zg", "m"})
_ADVERB = re.compile(r".{3,}ly\Z")
_INFLECTED = re.compile(r".{3,}(?:ly|ed)\Z")


def measure(counted: Counted, material: Material, seeds: Collection[Run]) -> Matrix:
    """One row a candidate in the order of `counted`, one column a feature in the order of `FEATURES`.

    What a seed says about itself (that it is a heading, that its own words are) is left out of its row.
    """
    known = _Parts(counted.candidates, material, seeds)
    rows = [_row(each, counted, material, known, each.words in seeds) for each in counted.candidates.values()]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES))


class _Parts:
    """How often words are parts of seeds, of headings and of longer candidates."""

    def __init__(self, candidates: Iterable[Run], material: Material, seeds: Collection[Run]) -> None:
        self.heads = Counter(head for words in seeds for head in heads(words))
        self.words = Counter(word for words in seeds for word in set(words))
        self.in_headings: Counter[Run] = Counter()
        for runs in material.headings.values():
            for run in runs:
                folded = tuple(map(fold, run))
                self.in_headings.update(parts(folded))
        self.containing: Counter[Run] = Counter()
        for words in candidates:
            self.containing.update(part for part in parts(words) if part != words)


def _row(
    each: TermCandidate, counted: Counted, material: Material, known: _Parts, seed: bool
) -> Sequence[float]:
    lists = vocabulary()
    words, count, spread = each.words, each.count, len(each.sections)
    text = join_words(words)
    headed = sum(known.heads[head] - seed for head in heads(words))
    shared = sum(known.words[word] - seed for word in set(words)) / len(words)
    tag = material.tags.get(words[-1], "")
    return (
        log(count),
        log(spread),
        max(each.sections.values()) / count,
        log1p(count) * log((material.sections + 1) / spread),
        association(words, counted),
        min(entropy(each.left, count), entropy(each.right, count)),
        max(each.nested.values(), default=0) / count,
        len(words),
        min(len(text), 30) ** 0.5,
        len(words) == 1,
        sum(n for word, n in each.left.items() if word in lists.before_noun) / count,
        sum(n for word, n in each.left.items() if word in lists.before_verb) / count,
        tag.startswith(_NOUN_TAGS) if tag else not _INFLECTED.match(words[-1]),
        material.tags.get(words[0], "") in _OPENING_TAGS or bool(_ADVERB.match(words[0])),
        sum(word in lists.generic for word in words) / len(words),
        any(word in JOINING for word in words),
        sum(word in lists.weak for word in words) / len(words),
        log1p(each.openings),
        log1p(max(known.in_headings[words] - seed, 0)),
        log1p(max(headed, 0)),
        log1p(max(shared, 0.0)),
        log1p(known.containing[words]),
        background(text) - log(count) if each.han else 0.0,
        sum(n for form, n in each.surfaces.items() if form != form.lower()) / max(1, each.surfaces.total()),
    )


def association(words: Run, counted: Counted) -> float:
    """The lowest pointwise mutual information of the phrase over all its splits in two; 0 for one word."""
    if len(words) == 1:
        return 0.0
    whole = counted.candidates[words].count
    return min(
        log(whole * counted.total / (_count(words[:cut], counted) * _count(words[cut:], counted)))
        for cut in range(1, len(words))
    )


def _count(words: Run, counted: Counted) -> int:
    if len(words) == 1:
        return max(1, counted.words[words[0]])
    known = counted.candidates.get(words)
    return known.count if known else max(1, min(counted.words[word] for word in words))


def entropy(neighbours: Counter[str], count: int) -> float:
    """The branching entropy; every end of a run counts as a neighbour of its own."""
    edges = neighbours.get("", 0)
    rest = sum(n / count * log(count / n) for word, n in neighbours.items() if word)
    return rest + edges / count * log(count)


def heads(words: Run) -> tuple[str, ...]:
    """What a name ends in: its last word, and for Chinese its last character."""
    last = words[-1]
    if len(words) == 1:
        return (last[-1],) if is_han(last) and len(last) > 1 else ()
    return (last, last[-1]) if is_han(last) and len(last) > 1 else (last,)


def parts(words: Run) -> set[Run]:
    return {words[i:j] for i in range(len(words)) for j in range(i + 1, len(words) + 1)}


def background(text: str) -> float:
    """The logarithm of how often the phrase comes in Chinese at large, by the segmenter's dictionary."""
    return log(max(1, int(segmenter().suggest_freq(text))))


Vector = NDArray[np.float64]
LEARNED_KINDS = (SeedKind.HEADING, SeedKind.INTRODUCED, SeedKind.MARKED)
COLUMNS = (*FEATURES, "unheaded", *LEARNED_KINDS)
EXPLAINED = "explained"
"""The weight of a name that the course explains, fitted with those of `COLUMNS`."""
FEW_HEADINGS = 10
"""With fewer names in its headings a course counts as one without headings, such as recorded speech."""
GIVEN_LOG_ODDS = 8.0
"""What it adds that a person gives the name."""
_FARTHEST = 4.0
"""Standard deviations."""


Kinds = Sequence[Collection[SeedKind]]
"""How each candidate is set apart; nothing where it is not."""


def score_candidates(features: Matrix, kinds: Kinds, han: NDArray[np.bool_]) -> Vector:
    """The log-odds of each row; `han` says which candidates are Chinese."""
    logits = linear(read_words("naming"), dict(zip(COLUMNS, design(features, kinds, han).T, strict=True)))
    given = GIVEN_LOG_ODDS * np.array([SeedKind.GIVEN in each for each in kinds])
    total: Vector = logits + given
    return total


def design(features: Matrix, kinds: Kinds, han: NDArray[np.bool_]) -> Matrix:
    """Rows of `COLUMNS`: features in deviations from the mean of the course's names of the same script."""
    rows = np.zeros((len(features), len(COLUMNS)))
    for script in (han, ~han):
        if script.any():
            rows[script, : len(FEATURES)] = _standardised(features[script])
    rows[:, len(FEATURES)] = sum(SeedKind.HEADING in each for each in kinds) < FEW_HEADINGS
    for n, kind in enumerate(LEARNED_KINDS, start=len(FEATURES) + 1):
        rows[:, n] = [kind in each for each in kinds]
    return rows


def _standardised(features: Matrix) -> Matrix:
    spread = features.std(axis=0)
    values: Matrix = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.clip(values, -_FARTHEST, _FARTHEST)
