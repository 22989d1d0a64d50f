"""Passages of the course as evidence: their words, values and sentences, read once each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.claims.clauses import Statement, read_statement
from vta.dialogue.claims.values import Values, as_words, values_of
from vta.dialogue.sentences import sentence_spans
from vta.ports import Embedder
from vta.text import Analyser, detect_language, normalise
from vta.types import Language

_READ = 1_000
"""Texts that are kept as read: the passages of the last questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that may support a claim: its language, its words with its values, and its sentences.

    `text` is normalised; `vectors` holds a row of unit length for each of the sentences, none without an
    encoder.
    """

    language: Language
    text: str
    words: frozenset[str]
    values: Values
    sentences: tuple[str, ...]
    vectors: NDArray[np.float32] | None

    def holds(self, word: str) -> bool:
        """Whether it has the word; a Chinese one also where the text was cut otherwise."""
        return word in self.words or (not word.isascii() and word in self.text)


class PassageReader:
    """Reads passages and claims. What was read last is kept, so that a passage is read once. Thread-safe."""

    def __init__(self, analyser: Analyser, embedder: Embedder | None = None) -> None:
        self._analyser = analyser
        self._embedder = embedder
        self.passage: Callable[[str], Passage] = lru_cache(_READ)(self._passage)
        self.statement: Callable[[str], Statement] = lru_cache(10 * _READ)(self._statement)

    def prepare(self, texts: Iterable[str]) -> None:
        """Read passages with all their sentences, so that it is done when a claim is held against them."""
        for text in texts:
            for sentence in self.passage(text).sentences:
                self.statement(sentence)

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """A row of unit length for each text; None without an encoder."""
        return self._embedder.embed(texts) if self._embedder is not None and texts else None

    def _passage(self, text: str) -> Passage:
        sentences = tuple(text[start:end] for start, end in sentence_spans(text))
        plain = normalise(text)
        values = values_of(plain)
        return Passage(
            language=detect_language(text, Language.EN),
            text=plain,
            words=frozenset(self._analyser.words(plain)) | as_words(values),
            values=values,
            sentences=sentences,
            vectors=self.vectors(sentences),
        )

    def _statement(self, sentence: str) -> Statement:
        return read_statement(sentence, self._analyser)


def rarity(passages: Iterable[Passage]) -> Callable[[str], float]:
    """How much a word tells among these passages: its inverse document frequency."""
    known = list(passages)
    counts = Counter(word for passage in known for word in passage.words)
    return lambda word: math.log((len(known) + 1) / (counts[word] + 0.5)) + 1
