"""Features of a candidate, the probability that it is a term of the course's subject, and exceptions.

Exceptions are candidates that are admitted though few counts cannot show them.

P is a logistic regression over the features. Its weights are in `words/naming.toml`: fitted by
`benchmarks/concept_names.py` to the glossaries of textbooks and to judged names of courses, each standing for
one course.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import ceil, exp, log, log1p

import numpy as np
from numpy.typing import NDArray

from concept_graph.extraction.candidates import Counted, TermCandidate
from concept_graph.extraction.material import Material, SeedKind
from concept_graph.extraction.runs import Run, is_han, join_words
from concept_graph.extraction.vocabulary import JOINING, Vocabulary, fold
from concept_graph.word_files import read_words
from vta.scoring import linear, logistics
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
    each: TermCandidate,
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
LEARNED_KINDS = (SeedKind.HEADING, SeedKind.GLOSSED, SeedKind.MARKED)
COLUMNS = (*FEATURES, *LEARNED_KINDS, "unheaded")
FEW_HEADINGS = 10
"""With fewer names in its headings a course counts as one without headings, such as recorded speech."""
GIVEN_LOG_ODDS = 8.0
"""What it adds that a person gives the name."""
_FARTHEST = 4.0
"""Standard deviations."""


def score_candidates(features: Matrix, kinds: Sequence[SeedKind | None], han: NDArray[np.bool_]) -> Vector:
    """The probability of each row; `kinds` say how a name is set apart, `han` which are Chinese."""
    logits = linear(read_words("naming"), dict(zip(COLUMNS, design(features, kinds, han).T, strict=True)))
    return logistics(logits + GIVEN_LOG_ODDS * np.array([kind is SeedKind.GIVEN for kind in kinds]))


def design(features: Matrix, kinds: Sequence[SeedKind | None], han: NDArray[np.bool_]) -> Matrix:
    """Rows of `COLUMNS`: features in deviations from the mean of the course's names of the same script."""
    rows = np.zeros((len(features), len(COLUMNS)))
    for script in (han, ~han):
        if script.any():
            rows[script, : len(FEATURES)] = _standardised(features[script])
    for n, kind in enumerate(LEARNED_KINDS, start=len(FEATURES)):
        rows[:, n] = [each is kind for each in kinds]
    rows[:, -1] = sum(each is SeedKind.HEADING for each in kinds) < FEW_HEADINGS
    return rows


def _standardised(features: Matrix) -> Matrix:
    spread = features.std(axis=0)
    values: Matrix = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.clip(values, -_FARTHEST, _FARTHEST)


FEW_SEEDS = 10
"""With fewer names set apart, nothing is asked of kinship with them."""
MOST_DOCUMENTS_ASKED = 3
_SHARE_OF_DOCUMENTS = 0.1
_EVERYDAY = 3000
"""Uses in the segmenter's dictionary (of about 60 million) that make a word one of everyday use."""
_MOSTLY_NESTED = 0.9
_ABBREVIATION = re.compile(r"[A-Z][A-Z0-9-]+\Z")
_PARTICIPLE = re.compile(r".{3,}[^e]ed\Z")
_ADJECTIVE = re.compile(r".{3,}(?:ical|ional|etric|ous|ular)\Z")
_WHO = re.compile(r"(?:.{3,}ologist|.{3,}ionist|theorist|researcher|scientist)\Z")
_LEAST_ALONE, _ENOUGH = 0.2, 5
"""Of its uses, this share of a noun's is followed by no noun, if it has so many."""
_PLACE_TAGS = frozenset({"ns", "nt"})
"""Places and organisations in the segmenter's dictionary."""
_CAPITALS = re.compile(r"[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*)+\Z")
_PROPER = re.compile(r"[A-Z][a-z']+\Z")


class Admission:
    """Says of each candidate of one course whether it may be a concept.

    A candidate that nothing sets apart, and that is no abbreviation, needs one of these: kinship (a word of
    its own in a name that the course sets apart), or use in a share of the documents, at most
    `MOST_DOCUMENTS_ASKED` of a long course. So the props of a lecturer's story are left out, which a lecture
    repeats as often as its terms. Unless something sets them apart, these are never admitted: a single
    Chinese character, a Chinese word of everyday use, an English participle or adjective, a first name, a
    place, those who work at a thing ("conflict theorists"), and what stands almost always inside longer
    candidates.
    """

    def __init__(
        self,
        material: Material,
        candidates: Iterable[TermCandidate],
        seeds: Collection[Run],
        vocabulary: Vocabulary,
    ) -> None:
        self._seeds = seeds
        self._documents = material.documents
        self._tags = material.tags
        self._dull = vocabulary.never_alone
        self._boundary = vocabulary.boundary
        known = [each.words for each in candidates if each.words in seeds]
        self._kin = Counter(part for words in known for part in self._roots(words))
        self._ask_kinship = len(known) >= FEW_SEEDS
        share = ceil(len(set(material.documents)) * _SHARE_OF_DOCUMENTS)
        self._fewest = min(max(share, 1), MOST_DOCUMENTS_ASKED)

    def admits(self, each: TermCandidate) -> bool:
        """Whether a candidate may be a concept; one that something sets apart always may."""
        if each.words in self._seeds:
            return True
        if each.han and sum(map(len, each.words)) == 1:
            return False
        if each.nested.total() >= _MOSTLY_NESTED * each.count or _first_name(each) or self._no_thing(each):
            return False
        if (
            not self._ask_kinship
            or all(map(_ABBREVIATION.match, each.surfaces))
            or any(root in self._kin for root in self._roots(each.words))
        ):
            return True
        spread = len({self._documents[section] for section in each.sections})
        fewest = min(self._fewest, 2) if len(each.words) > 1 else self._fewest
        return spread >= fewest

    def _roots(self, words: Run) -> set[str]:
        """What makes two names kin: their own words, and the last character of a Chinese name."""
        return {word for word in words if word not in self._dull} | set(heads(words))

    def _no_thing(self, each: TermCandidate) -> bool:
        """A Chinese word of everyday use, an English participle or adjective, or people of a profession.

        An adjective is told by its ending, or because a noun nearly always follows it.
        """
        if _WHO.match(each.words[-1]) or _proper(each):
            return True
        if each.han and any(self._tags.get(word) in _PLACE_TAGS for word in each.words):
            return True
        word = each.words[0]
        if len(each.words) > 1:
            return False
        if each.han:
            return exp(background(word)) >= _EVERYDAY
        ends = sum(n for after, n in each.right.items() if not after or after in self._boundary)
        modifies = each.count >= _ENOUGH and ends < _LEAST_ALONE * each.count
        return (modifies and not all(map(_ABBREVIATION.match, each.surfaces))) or bool(
            _PARTICIPLE.match(word) or _ADJECTIVE.match(word)
        )


def _proper(each: TermCandidate) -> bool:
    """Whether each word is always capitalised and no article stands before it: "South Korea"."""
    capital = len(each.words) > 1 and all(_CAPITALS.match(surface) for surface in each.surfaces)
    return capital and not any(each.left[article] for article in ("a", "an", "the"))


def _first_name(each: TermCandidate) -> bool:
    """Whether every use is one capitalised word inside a run: "Anna", but not "ReLU"."""
    return len(each.words) == 1 and all(map(_PROPER.match, each.surfaces)) and set(each.left) != {""}
