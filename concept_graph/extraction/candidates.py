"""TermCandidate names: sequences of words that come often enough or are seeds, and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from concept_graph.extraction.material import Material
from concept_graph.extraction.runs import Run, is_han, is_placeholder, join_words
from concept_graph.extraction.vocabulary import (
    BOUNDARY_TAGS,
    JOINING,
    LONGEST_NAME,
    count_sequences,
    fold,
    vocabulary,
)

FEWEST = 2
"""How often a candidate that is no seed must come."""
MOST_CANDIDATES = 20_000
_LONGEST_HAN = 12
_COUNTED = re.compile(
    r"第?[零〇一二两三四五六七八九十百千万亿几]+[个棵条张种名本层位次步遍组对只家场件份号章节页行列年月日天点秒米元块座辆间篇段]*\Z"
)
"""A Chinese number, with its measure word or none: "一", "四十", "第二种"; 二叉 and 二分 are none."""
_EDGE = ""
"""The neighbour at the end of a run: punctuation, which differs every time."""


@dataclass(slots=True)
class TermCandidate:
    """A sequence of folded words with what was counted about it.

    `left` and `right` count neighbouring words, `sections` the sections it stands in, `surfaces` its
    spellings, `nested` the longer candidates it is part of; `first` is the number of its first run.
    """

    words: Run
    count: int = 0
    first: int = 0
    left: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    sections: Counter[int] = field(default_factory=Counter)
    surfaces: Counter[str] = field(default_factory=Counter)
    nested: Counter[Run] = field(default_factory=Counter)
    openings: int = 0
    """How often it opens a run that says what it is: "X 是", "X is a"."""

    @property
    def name(self) -> str:
        """The commonest spelling; of equals one without capitals, then the first by order of letters."""
        if not self.surfaces:
            return join_words(self.words)
        return min(self.surfaces, key=lambda each: (-self.surfaces[each], each != each.lower(), each))

    @property
    def han(self) -> bool:
        return any(is_han(word) for word in self.words)


@dataclass(frozen=True, slots=True)
class Counted:
    """All candidates with the counts of single words."""

    candidates: Mapping[Run, TermCandidate]
    words: Counter[str]
    total: int


def find_candidates(material: Material, seeds: Collection[Run]) -> Counted:
    """The candidates of a course, in a fixed order; memory does not grow beyond `MOST_CANDIDATES`."""
    boundary = vocabulary().boundary | {
        word for word, tag in material.tags.items() if tag in BOUNDARY_TAGS and len(word) > 1
    }
    runs = [tuple(map(fold, run)) for _, run in material.runs]
    counts = count_sequences(runs, boundary=boundary, fewest=FEWEST)
    wanted = [words for words in counts if _well_formed(words)]
    wanted.sort(key=lambda words: (-counts[words], words))
    chosen = dict.fromkeys((*sorted(seeds), *wanted[:MOST_CANDIDATES]))
    candidates = {words: TermCandidate(words) for words in chosen if 0 < len(words) <= LONGEST_NAME + 2}
    beginnings = {
        words[:end]: candidates.get(words[:end]) for words in candidates for end in range(1, len(words) + 1)
    }
    singles: Counter[str] = Counter()
    for number, ((section, run), folded) in enumerate(zip(material.runs, runs, strict=True)):
        singles.update(folded)
        _observe(number, section, run, folded, beginnings)
    return Counted(
        {words: each for words, each in candidates.items() if each.count}, singles, singles.total()
    )


def _observe(
    number: int, section: int, run: Run, folded: Run, beginnings: Mapping[Run, TermCandidate | None]
) -> None:
    """Adds to the candidates what the run says of them; `beginnings` holds those and what they begin with."""
    here: list[tuple[int, int, TermCandidate]] = []
    for start in range(len(run)):
        for end in range(start + 1, min(start + LONGEST_NAME + 2, len(run)) + 1):
            words = folded[start:end]
            if words not in beginnings:
                break
            found = beginnings[words]
            if found is None:
                continue
            if not found.count:
                found.first = number
            found.count += 1
            found.sections[section] += 1
            found.left[folded[start - 1] if start else _EDGE] += 1
            found.right[folded[end] if end < len(run) else _EDGE] += 1
            if len(found.surfaces) < 20:
                found.surfaces[join_words(run[start:end])] += 1
            if (
                start <= 1
                and end < len(run)
                and folded[end] in _SAYS_WHAT
                and (not start or folded[0] in _ARTICLES)
            ):
                found.openings += 1
            here.append((start, end, found))
    for start, end, found in here:
        longer = [other for s, e, other in here if s <= start and e >= end and e - s > end - start]
        if longer:
            found.nested[max(longer, key=lambda other: (len(other.words), other.words)).words] += 1


def _well_formed(words: Run) -> bool:
    known = vocabulary()
    first, last, several = words[0], words[-1], len(words) > 1
    han = any(map(is_han, words))
    if (
        first[0].isdigit()
        or _COUNTED.match(first)
        or is_placeholder(words)
        or (several and (first in known.opening or last in known.closing))
    ):
        return False
    if not several and first in known.never_alone:
        return False
    letters = sum(map(len, words))
    return letters <= _LONGEST_HAN and not JOINING.intersection(words) if han else letters > 2


_SAYS_WHAT = frozenset({"是", "指", "就是", "是指", "is", "are", "refer", "mean"})
_ARTICLES = frozenset({"a", "an", "the"})
