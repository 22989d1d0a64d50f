"""What is measured of a candidate: one row of numbers each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log, log1p

import numpy as np
from numpy.typing import NDArray

from concept_graph.extraction.candidates import Candidate, Counted
from concept_graph.extraction.counting import JOINING
from concept_graph.extraction.material import Material
from concept_graph.extraction.phrases import association, background, entropy, heads, parts
from concept_graph.extraction.runs import Run, join_words
from concept_graph.extraction.vocabulary import Vocabulary, fold

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


def measure(counted: Counted, material: Material, seeds: Collection[Run], vocabulary: Vocabulary) -> Matrix:
    """One row a candidate in the order of `counted`, one column a feature in the order of `FEATURES`.

    What a seed says about itself (that it is a heading, that its own words are) is left out of its row.
    """
    known = _Parts(counted.candidates, material, seeds)
    rows = [
        _row(each, counted, material, known, vocabulary, each.words in seeds)
        for each in counted.candidates.values()
    ]
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
    each: Candidate,
    counted: Counted,
    material: Material,
    known: _Parts,
    vocabulary: Vocabulary,
    seed: bool,
) -> Sequence[float]:
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
        sum(n for word, n in each.left.items() if word in vocabulary.before_noun) / count,
        sum(n for word, n in each.left.items() if word in vocabulary.before_verb) / count,
        tag.startswith(_NOUN_TAGS) if tag else not _INFLECTED.match(words[-1]),
        material.tags.get(words[0], "") in _OPENING_TAGS or bool(_ADVERB.match(words[0])),
        sum(word in vocabulary.generic for word in words) / len(words),
        any(word in JOINING for word in words),
        sum(word in vocabulary.weak for word in words) / len(words),
        log1p(each.openings),
        log1p(max(known.in_headings[words] - seed, 0)),
        log1p(max(headed, 0)),
        log1p(max(shared, 0.0)),
        log1p(known.containing[words]),
        background(text) - log(count) if each.han else 0.0,
        sum(n for form, n in each.surfaces.items() if form != form.lower()) / max(1, each.surfaces.total()),
    )
