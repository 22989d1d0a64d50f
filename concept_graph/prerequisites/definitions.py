"""What a course says outright of names: where it defines them, and by which others or a formula of which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from concept_graph.defining import SURE, DefiningSentences, sentences
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Matrix, Vector
from concept_graph.prerequisites.occurrences import TokenText
from vta.text import normalise
from vta.types.concepts import Concept

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


_EQUALS = re.compile(r"(?<![=!<>:+\-*/])\s*[=＝]\s*(?!=)")
_OPERATOR = re.compile(r"[/×÷*+−－—–-]|\\frac|\\times|\\div|(?<=\s)x(?=\s)|除以|[减乘加]")
_LATEX = re.compile(r"\\(?:text|textrm|mathrm|operatorname)\s*\{([^{}]*)\}")
_CODE = re.compile(r"\w\(|\w\.\w+\(|[=!<>]=|<-|\w_\w|\[\w*[:,\]]")
_AFTER_NAME = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z|[{}$&\\\s]+\Z")


def read_statements(text: TokenText, concepts: Sequence[Concept]) -> tuple[Matrix, Matrix]:
    """(defined, computed), n x n, each 1 where the definition of b, or a formula for b, holds a, else 0."""
    names = DefiningSentences({str(n): surfaces(each) for n, each in enumerate(concepts)})
    defined, computed = np.zeros((2, len(concepts), len(concepts)))
    for n, concept in enumerate(concepts):
        defined[_held(concept.definition, names), n] = 1
    for passage in text.passages:
        for sentence in sentences(passage.answer) if _EQUALS.search(passage.answer) else ():
            for b, a in _formula(sentence, names):
                computed[a, b] = 1
    for each in (defined, computed):
        np.fill_diagonal(each, 0)
    return defined, computed


def _held(text: str, names: DefiningSentences) -> list[int]:
    return [int(key) for key in held_names(text, names)]


def _formula(sentence: str, names: DefiningSentences) -> Iterator[tuple[int, int]]:
    """(b, a) for each name a in a sum, product or quotient that is said to equal b."""
    left, *rest = _EQUALS.split(sentence)
    right = _LATEX.sub(r" \1 ", " ".join(rest))
    if not _OPERATOR.search(right) or _CODE.search(sentence):
        return
    b = _last_name(normalise(_AFTER_NAME.sub("", _LATEX.sub(r" \1 ", left))), names)
    for a in _held(right, names) if b else ():
        yield int(b or 0), a


def _last_name(text: str, names: DefiningSentences) -> str | None:
    """The longest name at the end of a text."""
    starts = (at for at in range(len(text)) if not (at and text[at - 1].isascii() and text[at - 1].isalnum()))
    return next((key for at in starts if (key := names.owner(text[at:]))), None)
