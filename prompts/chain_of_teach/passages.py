"""Which sentences of a passage answer a question best."""

from __future__ import annotations

import unicodedata

from prompts.markdown import escape_markdown, join_sentences, split_sentences
from vta.text import Analyser

_WIDEST = 480
_MOST_SENTENCES = 3


def quote_best(passage: str, question: str, analyser: Analyser) -> str:
    """The up to three sentences that share most words with the question, whole and in their order.

    Escaped for Markdown; `…` stands where sentences were left out between them. At least one sentence is
    given, further ones only while they share a word and the quote stays within 480 columns (a Chinese
    character takes two). Empty for a passage without prose.
    """
    sentences = split_sentences(passage)
    wanted = set(analyser.content_words(question))
    shared = [len(wanted & set(analyser.words(sentence))) for sentence in sentences]
    chosen: list[int] = []
    width = 0
    for i in sorted(range(len(sentences)), key=lambda i: (-shared[i], i)):
        wider = width + _columns(sentences[i])
        if chosen and (not shared[i] or wider > _WIDEST or len(chosen) == _MOST_SENTENCES):
            continue
        chosen.append(i)
        width = wider
    return _in_order(sentences, sorted(chosen))


def first_sentence(text: str) -> str:
    """The first sentence, not escaped; empty where there is no prose."""
    sentences = split_sentences(text)
    return sentences[0] if sentences else ""


def _in_order(sentences: list[str], chosen: list[int]) -> str:
    runs: list[list[str]] = []
    for place, i in enumerate(chosen):
        if place == 0 or i > chosen[place - 1] + 1:
            runs.append([])
        runs[-1].append(escape_markdown(sentences[i]))
    return " … ".join(join_sentences(run) for run in runs)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
