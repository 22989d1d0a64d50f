"""Transcripts for questions with yes or no: chunks of their lines, quotes found in them, and the answer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vta.errors import LimitExceeded
from vta.faults import Fault
from vta.text import Analyser, normalise
from vta.types.pairs import Degradation

Count = Callable[[str], int]
SMALLEST_CHUNK = 32
"""Tokens. A language model that has less room than this beside its prompt cannot read a transcript."""
MOST_PASSAGES = 3
SHORTEST = 4
"""Letters of a quote. Less would be found anywhere."""
YesNo = Literal["yes", "no", "unknown"]
Method = Literal["naive", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something said, or a paragraph, and the second at which it begins where that is known."""

    text: str
    start_s: float | None = None
    video: str | None = None


def chunk_size(*, limit: int, output: int, prompt: int) -> int:
    """Chunk size = token limit - output size - prompt size, in tokens; `LimitExceeded` for too little."""
    size = limit - output - prompt
    if size < SMALLEST_CHUNK:
        raise LimitExceeded(
            Fault(
                "transcript.no_room",
                prompt=prompt,
                output=output,
                size=size,
                limit=limit,
                needed=SMALLEST_CHUNK,
            )
        )
    return size


def cut(lines: Iterable[Line], *, size: int, count: Count) -> Iterator[tuple[Line, ...]]:
    """The lines in order, as many to a chunk as `size` tokens hold; only a line longer than that is cut.

    `count` is asked for each line by itself, with the line break before it where there is one.
    """
    chunk: list[Line] = []
    used = 0
    for line in lines:
        for part in _fit(line, size, count):
            tokens = count(f"\n{part.text}")
            if chunk and used + tokens > size:
                yield tuple(chunk)
                chunk, used = [], 0
            used += tokens if chunk else count(part.text)
            chunk.append(part)
    if chunk:
        yield tuple(chunk)


def text_of(chunk: Sequence[Line]) -> str:
    """The words of a chunk, a line each."""
    return "\n".join(line.text for line in chunk)


def _fit(line: Line, size: int, count: Count) -> Iterator[Line]:
    """The line, or its halves and their halves where it is too long; cut at a blank where there is one."""
    text = line.text.strip()
    if not text:
        return
    if count(text) <= size or len(text) == 1:
        yield replace(line, text=text)
        return
    middle = len(text) // 2
    blank = text.find(" ", middle)
    at = blank if middle <= blank < middle + 40 and blank + 1 < len(text) else middle
    for half in (text[:at], text[at:]):
        yield from _fit(replace(line, text=half), size, count)


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


def best_passages(lines: Sequence[Line], question: str, *, analyser: Analyser) -> tuple[Quote, ...]:
    """At most `MOST_PASSAGES` lines that share rare words with the question, best first, ties in order."""
    wanted = set(_tokens(question, analyser, analyser.content_words(question)))
    found = [wanted & set(_tokens(line.text, analyser, analyser.words(line.text))) for line in lines]
    frequencies = Counter(token for tokens in found for token in tokens)
    scores = [sum(math.log(1 + len(lines) / frequencies[token]) for token in tokens) for tokens in found]
    best = sorted((n for n, score in enumerate(scores) if score), key=lambda n: -scores[n])[:MOST_PASSAGES]
    return tuple(Quote(text=lines[n].text, start=lines[n].start_s, video=lines[n].video) for n in best)


def _tokens(text: str, analyser: Analyser, words: Sequence[str]) -> list[str]:
    return [*words, *(gram for gram in analyser.grams(text) if len(gram) > 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkFinding:
    """`naive`: what one chunk says, with the words that say it."""

    quotes: tuple[str, ...] = ()
    answer: YesNo


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """`explain`, the map: what one chunk holds about the question; an empty explanation for nothing."""

    quotes: tuple[str, ...] = ()
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`explain`, the reduce: one answer from all explanations."""

    explanation: str = ""
    answer: YesNo


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptAnswer:
    """`chunks` is how many there are, not how many were asked; tokens are as the server counts them.

    `degraded` says why no language model answered; the quotes are then the best passages.
    """

    answer: YesNo
    explanation: str
    quotes: tuple[Quote, ...]
    chunks: int
    calls: int = 0
    tokens: int = 0
    degraded: Degradation | None = None
