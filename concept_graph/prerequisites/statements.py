"""What a course says outright of two concepts: in the definition of one, or in a formula for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from concept_graph.defining import DefiningSentences, sentences
from concept_graph.names import surfaces
from concept_graph.prerequisites.counts import Matrix
from concept_graph.prerequisites.definitions import held_names
from concept_graph.prerequisites.occurrences import TokenText
from vta.text import normalise
from vta.types import Concept

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
