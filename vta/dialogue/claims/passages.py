"""Passages of the course as evidence: their words, values and sentences, read once each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vta.dialogue.claims.clauses import Statement, read_statement
from vta.dialogue.claims.values import Values, as_words, values_of
from vta.languages import Language
from vta.ports import Embedder
from vta.sentences import is_question, join_wrapped, sentence_spans, split_lines
from vta.text import Analyser, detect_language, normalise

WINDOW = 2
"""How many neighbouring sentences, or lines, may support a claim together."""

_READ = 1_000
"""Texts that are kept as read: the passages of the last questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Neighbouring sentences or lines of a passage: their words with their values, and those of the title."""

    text: str
    words: frozenset[str]

    def holds(self, word: str) -> bool:
        """Whether it has the word; a Chinese one also where the text was cut otherwise."""
        return word in self.words or (not word.isascii() and word in self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that may support a claim: its language, its values, its windows and its sentences.

    `title` is its first line, `reply` what follows. `vectors` holds a row of unit length for each of the
    sentences; None without an encoder.
    """

    language: Language
    title: str
    reply: str
    values: Values
    heading: Window
    windows: tuple[Window, ...]
    sentences: tuple[str, ...]
    vectors: NDArray[np.float32] | None


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
        text = join_wrapped(text)
        sentences = tuple(text[start:end] for start, end in sentence_spans(text))
        title, _, reply = text.partition("\n")
        return Passage(
            title=title,
            reply=reply,
            language=detect_language(" ".join(sentences) or text, Language.EN),  # code is English
            values=values_of(normalise(text)),
            heading=self._window(title),
            windows=tuple(self._windows(text)),
            sentences=sentences,
            vectors=self.vectors(sentences),
        )

    def _windows(self, text: str) -> Iterator[Window]:
        title, *units = split_lines(text)
        units = units or [title]
        read = [self._window(unit) for unit in units]
        for start in range(max(1, len(units) - WINDOW + 1)):
            if units and all(map(is_question, units[start : start + WINDOW])):
                continue
            yield Window(
                text="\n".join(each.text for each in read[start : start + WINDOW]),
                words=frozenset().union(*(each.words for each in read[start : start + WINDOW])),
            )

    def _window(self, text: str) -> Window:
        plain = normalise(text)
        return Window(text=plain, words=frozenset(self._analyser.words(plain)) | as_words(values_of(plain)))

    def _statement(self, sentence: str) -> Statement:
        return read_statement(sentence, self._analyser)


def rarity(passages: Iterable[Passage]) -> Callable[[str], float]:
    """How much a word tells among these passages: its inverse document frequency."""
    known = list(passages)
    counts = Counter(
        word
        for each in known
        for word in each.heading.words.union(*(window.words for window in each.windows))
    )
    return lambda word: math.log((len(known) + 1) / (counts[word] + 0.5)) + 1
