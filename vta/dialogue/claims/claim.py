"""A sentence of an answer as a claim, in the light of the question and of the sentence before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.claims.clauses import Statement
from vta.dialogue.claims.contradiction import share
from vta.dialogue.claims.passages import PassageReader
from vta.dialogue.claims.values import Values, values_of
from vta.languages import Language
from vta.sentences import is_question
from vta.text import detect_language, normalise

FEWEST_WORDS = 4
"""Different content words, or an order of growth, from which a sentence is a claim, not a transition."""


ECHO = 0.8
"""The share of a claim's words that are the question's, from which it only repeats it with a yes or no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence without marks as read; `values` are its own, `given` those of the question.

    `asked` are the words of the question, `context` these and those of the sentence before. `is_example` says
    that it may make numbers up, `is_echo` that nearly all of its words are the question's.
    """

    text: str
    statement: Statement
    language: Language
    vector: NDArray[np.float32] | None
    values: Values
    given: Values
    asked: frozenset[str]
    context: frozenset[str]
    is_example: bool
    is_echo: bool

    @property
    def words(self) -> frozenset[str]:
        """Its content words with its values."""
        return self.statement.words

    @property
    def is_open(self) -> bool:
        """Whether it says nothing that may be wrong: a question, or what leads in to a list or to code."""
        return not self.words or is_question(self.text) or self.text.rstrip(" *").endswith((":", "："))

    @property
    def is_claim(self) -> bool:
        """Whether it says enough to be held against the course."""
        return not self.is_open and (len(self.words) >= FEWEST_WORDS or "growth" in self.values)


def read_claims(sentences: Sequence[str], *, question: str, reader: PassageReader) -> list[Claim]:
    """The sentences of one answer, without their marks, as claims."""
    vectors = reader.vectors(sentences)
    asked = reader.statement(question)
    statements = [reader.statement(sentence) for sentence in sentences]
    return [
        Claim(
            text=sentence,
            statement=statement,
            language=detect_language(sentence, Language.EN),
            vector=None if vectors is None else vectors[n],
            values=values_of(statement.text),
            given=values_of(normalise(question)),
            asked=asked.words,
            context=asked.words | (statements[n - 1].words if n else frozenset()),
            is_example=any(each.is_example for each in statements[max(0, n - 1) : n + 1]),
            is_echo=share(statement.words, asked.words) >= ECHO,
        )
        for n, (sentence, statement) in enumerate(zip(sentences, statements, strict=True))
    ]
