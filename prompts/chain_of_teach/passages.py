"""Which sentences of the passages answer a question best."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from prompts.markdown import escape_markdown, join_sentences, split_sentences
from vta.text import Analyser

_WIDEST = 480
_MOST_SENTENCES = 4
_MOST_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that may be quoted: the number of its candidate, its text and its S."""

    n: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    n: int
    place: int
    text: str
    score: float


def quote_best(passages: Sequence[Passage], question: str, analyser: Analyser) -> list[tuple[int, str]]:
    """Up to four sentences of the first three passages with prose, with the number of each passage.

    A sentence counts by the words that it shares with the question, each the more the fewer sentences have
    it, times the S of its passage. The best are taken while they share a word and together stay within 480
    columns (a Chinese character takes two); one at least. They are whole, escaped for Markdown and in the
    order of their passage, with `…` where sentences were left out between them.
    """
    split = ((passage, split_sentences(passage.text)) for passage in passages)
    prose = [(passage, sentences) for passage, sentences in split if sentences][:_MOST_PASSAGES]
    chosen = _choose(_score(prose, question, analyser))
    quotes = []
    for passage, sentences in prose:
        places = sorted(sentence.place for sentence in chosen if sentence.n == passage.n)
        if places:
            quotes.append((passage.n, _in_order(sentences, places)))
    return quotes


def first_sentence(text: str) -> str:
    """The first sentence, not escaped; empty where there is no prose."""
    sentences = split_sentences(text)
    return sentences[0] if sentences else ""


def _score(prose: Sequence[tuple[Passage, list[str]]], question: str, analyser: Analyser) -> list[_Sentence]:
    wanted = frozenset(analyser.content_words(question))
    best = max((passage.score for passage, _ in prose), default=0.0)
    shared = [
        (passage, place, text, wanted.intersection(analyser.words(text)))
        for passage, sentences in prose
        for place, text in enumerate(sentences)
    ]
    counts = Counter(word for *_, words in shared for word in words)
    rarity = {word: math.log(1 + len(shared) / count) for word, count in counts.items()}
    return [
        _Sentence(
            passage.n,
            place,
            text,
            sum(map(rarity.__getitem__, words)) * (passage.score / best if best > 0 else 1.0),
        )
        for passage, place, text, words in shared
    ]


def _choose(sentences: list[_Sentence]) -> list[_Sentence]:
    chosen: list[_Sentence] = []
    width = 0
    for sentence in sorted(sentences, key=lambda each: -each.score):  # stable: the earlier one of two equals
        wider = width + _columns(sentence.text)
        if chosen and (sentence.score <= 0 or wider > _WIDEST or len(chosen) == _MOST_SENTENCES):
            continue
        chosen.append(sentence)
        width = wider
    return chosen


def _in_order(sentences: list[str], chosen: list[int]) -> str:
    runs: list[list[str]] = []
    for place, i in enumerate(chosen):
        if place == 0 or i > chosen[place - 1] + 1:
            runs.append([])
        runs[-1].append(escape_markdown(sentences[i]))
    return " … ".join(join_sentences(run) for run in runs)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
