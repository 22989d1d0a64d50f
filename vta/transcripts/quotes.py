"""Whether a quote was said, and when; which passages share most with a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vta.text import Analyser, normalise
from vta.transcripts.chunking import Line

SHORTEST = 4
"""Letters of a quote. Less would be found anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of the transcript; `start` is the second at which their line begins, None where unknown."""

    text: str
    start: float | None = None
    video: str | None = None


def find_quotes(claimed: Iterable[str], lines: Sequence[Line]) -> tuple[Quote, ...]:
    """The claimed quotes that do occur in the lines, each once; the others are dropped.

    Letters and digits are compared, in the form in which texts are compared: a quote may differ in case,
    punctuation and line breaks, in nothing else.
    """
    spoken = [_letters(line.text) for line in lines]
    whole = "".join(spoken)
    found: dict[str, Quote] = {}
    for claim in claimed:
        wanted = _letters(claim)
        at = whole.find(wanted) if len(wanted) >= SHORTEST else -1
        if at >= 0 and wanted not in found:
            line = _line_at(lines, spoken, at)
            text = " ".join(claim.split())
            found[wanted] = Quote(text=text, start=line.start_s, video=line.video)
    return tuple(found.values())


def _line_at(lines: Sequence[Line], spoken: Sequence[str], at: int) -> Line:
    for line, letters in zip(lines, spoken, strict=True):
        if at < len(letters):
            return line
        at -= len(letters)
    raise AssertionError("the quote begins inside the lines")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalise(text)))


def best_passages(
    lines: Sequence[Line], question: str, *, analyser: Analyser, top: int = 3
) -> tuple[Quote, ...]:
    """At most `top` lines that share rare words with the question, best first, ties in order."""
    wanted = set(_tokens(question, analyser, analyser.content_words(question)))
    found = [wanted & set(_tokens(line.text, analyser, analyser.words(line.text))) for line in lines]
    frequencies = Counter(token for tokens in found for token in tokens)
    scores = [sum(math.log(1 + len(lines) / frequencies[token]) for token in tokens) for tokens in found]
    best = sorted((n for n, score in enumerate(scores) if score), key=lambda n: -scores[n])[:top]
    return tuple(Quote(text=lines[n].text, start=lines[n].start_s, video=lines[n].video) for n in best)


def _tokens(text: str, analyser: Analyser, words: Sequence[str]) -> list[str]:
    return [*words, *(gram for gram in analyser.grams(text) if len(gram) > 1)]
