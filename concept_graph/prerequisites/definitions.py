"""Where a course says what names mean, and by which other names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from concept_graph.defining import SURE, DefiningSentences, sentences
from concept_graph.prerequisites.counts import Matrix, Vector
from concept_graph.prerequisites.occurrences import TokenText

_CUES = ("是", "指", "叫", "称", "名为", " is ", " are ", " mean", " refer", "called ", "known as")
"""A sentence without any of these defines nothing."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """Definitions of n names, in their order.

    `place` is that of the first as a share of the course's passages, 0 to 1, and NaN for a name that none
    defines. `within[a, b]` is 1 where a sentence that defines b, and not a, also holds a.
    """

    place: Vector
    within: Matrix


def find_definitions(text: TokenText, names: Sequence[Iterable[str]]) -> Definitions:
    """The definitions of things that are each called by `names`, in the passages of a course."""
    count = len(names)
    place, within = np.full(count, np.nan), np.zeros((count, count))
    defining = DefiningSentences({str(n): each for n, each in enumerate(names)})
    for number, passage in enumerate(text.passages):
        if not any(cue in passage.answer for cue in _CUES):
            continue
        for sentence in sentences(passage.answer):
            if not any(cue in sentence for cue in _CUES):
                continue
            defined = {int(key) for key, sure in defining.explained(sentence) if sure >= SURE}
            if not defined:
                continue
            held = sorted({int(key) for key in held_names(sentence, defining)} - defined)
            for name in defined:
                if np.isnan(place[name]):
                    place[name] = number / len(text.passages)
                within[held, name] = 1
    np.fill_diagonal(within, 0)
    return Definitions(place, within)


def held_names(sentence: str, defining: DefiningSentences) -> Iterator[str]:
    """The longest names of a sentence, from left to right, none inside another."""
    at = 0
    while at < len(sentence):
        starts_word = at == 0 or not (sentence[at - 1].isascii() and sentence[at - 1].isalnum())
        found = defining.names_at(sentence, at) if starts_word or sentence[at] > "\u3400" else []
        if found:
            at, key = max(found)
            yield key
        else:
            at += 1
