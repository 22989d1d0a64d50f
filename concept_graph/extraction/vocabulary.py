"""The word lists that tell phrases apart, per language, and the sequences of words that come often enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from concept_graph.extraction.runs import Run
from concept_graph.names import singular
from concept_graph.word_files import read_words
from vta.languages import Language
from vta.text import word_list

BOUNDARY_TAGS = frozenset(
    {"r", "rr", "rz", "rg", "p", "c", "y", "e", "o", "uj", "ul", "uz", "ug", "uv", "ud", "u"}
)
"""Parts of speech of the segmenter's dictionary that no name holds: pronouns, particles, prepositions."""


@dataclass(frozen=True)
class Vocabulary:
    """The lists of `concept_graph/words/phrases_*.toml`, in both languages at once."""

    boundary: frozenset[str]
    generic: frozenset[str]
    everyday: frozenset[str]
    if_defined: frozenset[str]
    opening: frozenset[str]
    before_noun: frozenset[str]
    before_verb: frozenset[str]
    weak: frozenset[str]
    closing: frozenset[str]

    @cached_property
    def never_alone(self) -> frozenset[str]:
        """No candidate of one word is one of these."""
        return self.generic | self.everyday | self.opening | self.weak | self.boundary


@cache
def vocabulary() -> Vocabulary:
    """All lists; `boundary` holds the function words too, but none that is generic, or may stand in names."""
    lists: dict[str, set[str]] = {}
    for language in Language:
        for kind, words in read_words(f"phrases_{language}").items():
            lists.setdefault(kind, set()).update(map(fold, words))
        lists["boundary"].update(map(fold, word_list(f"function_words_{language}")))
    lists["boundary"] -= lists["generic"] | lists["weak"] | _IN_NAMES
    lists["boundary"] |= JOINING
    return Vocabulary(**{kind: frozenset(words) for kind, words in lists.items()})


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """What is the same word: lower case, and English in the singular."""
    return singular(word.lower())


_IN_NAMES = frozenset({"own", "class"})


LONGEST_NAME = 5
"""Words."""
_MOST_COUNTED = 1_500_000
"""Sequences held at once; beyond it, those seen once are forgotten."""


def count_sequences(runs: Iterable[Run], *, boundary: frozenset[str], fewest: int) -> Counter[Run]:
    """How often each sequence of 1 to `LONGEST_NAME` words comes, at least `fewest` times.

    No sequence begins or ends with a word of `boundary`, or holds one but "of", "the" or "and".
    """
    counts: Counter[Run] = Counter()
    for run in runs:
        found: list[Run] = []
        for start, word in enumerate(run):
            if word in boundary:
                continue
            for end in range(start + 1, min(start + LONGEST_NAME, len(run)) + 1):
                last = run[end - 1]
                if last not in boundary:
                    found.append(run[start:end])
                elif last not in JOINING:
                    break
        counts.update(found)
        if len(counts) > _MOST_COUNTED:
            counts = Counter({sequence: n for sequence, n in counts.items() if n > 1})
    return Counter({sequence: n for sequence, n in counts.items() if n >= fewest})


JOINING = frozenset({"of", "the", "and"})
"""Function words that may stand inside a name: divide and conquer, top of the stack."""
