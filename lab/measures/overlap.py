"""Verdicts by words alone: which sentences of a text a passage holds. No language model is involved."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vta.dialogue.grounding import without_marks
from vta.sentences import is_question, sentence_spans
from vta.text import Analyser, normalise

FEWEST_WORDS = 4
"""Content words of a sentence that counts as a claim."""
SUPPORTED_SHARE = 0.4
"""Share of a claim's content words that a passage must hold to support it."""


@dataclass(frozen=True, slots=True)
class Window:
    """A text as it is looked through: its words, and its letters."""

    words: frozenset[str]
    text: str

    def holds(self, word: str) -> bool:
        """Whether it has the word; a Chinese one also where the text was cut otherwise."""
        return word in self.words or (not word.isascii() and word in self.text)


class WordOverlap:
    """Claims of a text, and whether passages hold them."""

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser

    def _read(self, text: str) -> Window:
        return Window(words=frozenset(self._analyser.words(text)), text=normalise(text))

    def claims(self, text: str) -> list[frozenset[str]]:
        """The content words of each sentence that has `FEWEST_WORDS` different ones and is no question.

        Of a text without such a sentence all words are one claim; a text without words has none.
        """
        plain = without_marks(text)
        sentences = [plain[start:end] for start, end in sentence_spans(plain)]
        words = [self._content(each) for each in sentences if not is_question(each)]
        long = [each for each in words if len(each) >= FEWEST_WORDS]
        whole = frozenset().union(*words)
        return long or ([whole] if whole else [])

    def held(self, claims: Sequence[frozenset[str]], passages: Sequence[str]) -> list[bool]:
        """For each claim, whether one passage holds `SUPPORTED_SHARE` of its words by itself."""
        read = list(map(self._read, passages))
        return [any(_share(claim, passage) >= SUPPORTED_SHARE for passage in read) for claim in claims]

    def coverage(self, question: str, text: str) -> float:
        """The share of the question's different content words that the text holds, 0..1."""
        asked = self._content(question)
        return _share(asked, self._read(text)) if asked else 0.0

    def similarity(self, one: str, other: str) -> float:
        """The cosine of the counts of content words of two texts, 0..1."""
        first, second = (Counter(self._analyser.content_words(text)) for text in (one, other))
        product = sum(count * second[word] for word, count in first.items())
        lengths = [math.sqrt(sum(count * count for count in each.values())) for each in (first, second)]
        return product / math.prod(lengths) if product else 0.0

    def _content(self, text: str) -> frozenset[str]:
        return frozenset(self._analyser.content_words(text))


def _share(words: frozenset[str], passage: Window) -> float:
    return sum(map(passage.holds, words)) / len(words)
