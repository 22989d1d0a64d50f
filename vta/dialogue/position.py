"""The student's position: its document, the last minute of a transcript, a page, an outline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from vta.sentences import sentence_spans
from vta.text import normalise
from vta.types.pairs import QAPair
from vta.types.questions import Position, Scope

MINUTE_S = 60.0
_AHEAD_S = 5.0
"""Seconds; a student asks while the sentence may still run."""
_TRANSCRIPTS = (".srt", ".vtt")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}")


def find_document(position: Position, documents: Iterable[str], scope: Scope) -> str | None:
    """The path of the document of a position's video or unit: it has the same name but for the ending.

    A page is looked for in the unit first, else the video goes first; its words are in its transcript.
    """
    names = [(position.video, True), (position.unit, False)]
    paths = sorted(documents)
    for name, is_video in names[::-1] if scope is Scope.PAGE else names:
        alike = [path for path in paths if name and stem(path) == stem(name)]
        if alike:
            return min(alike, key=lambda path: is_transcript(path) != is_video)
    return None


def at_position(passages: Sequence[QAPair], position: Position, scope: Scope) -> tuple[QAPair, ...]:
    """The passages at a position: the last minute, the page or heading, or all of a document.

    The first passage where the position has no such part.
    """
    if scope is Scope.LECTURE:
        return tuple(passages)
    if passages and passages[0].locator.start_s is not None:
        second = position.second or 0.0
        start, end = max(second - MINUTE_S, 0.0), max(second, MINUTE_S / 6) + _AHEAD_S
        cut = (_part(pair, start, end) for pair in passages)
        return tuple(pair for pair in cut if pair is not None) or tuple(passages[-1:])
    page, heading = position.page, normalise(position.heading or "")
    here = [pair for pair in passages if page is not None and pair.locator.page == page]
    if heading and not here:
        here = [pair for pair in passages if heading in map(normalise, pair.locator.heading_path)]
    return tuple(here or passages[:1])


def in_outline(passages: Sequence[QAPair], most: int) -> tuple[QAPair, ...]:
    """The parts of a lecture: its passages, of a transcript its minutes; at most so many, evenly chosen."""
    parts = [part for pair in passages for part in _minutes(pair)]
    step = max(len(parts) / most, 1.0)
    return tuple(parts[int(n * step)] for n in range(min(most, len(parts))))


def is_transcript(path: str) -> bool:
    """Whether a document holds the words of a video."""
    return path.lower().endswith(_TRANSCRIPTS)


def stem(path: str) -> str:
    """The name of a file without folder and ending, in its normalised form."""
    name = PurePosixPath(path.replace("\\", "/"))
    return normalise(name.stem if _ENDING.fullmatch(name.suffix) else name.name)


def timed_sentences(pair: QAPair) -> Iterator[tuple[float, float, str]]:
    """(start, end, text) of each sentence of a subtitle passage, with seconds interpolated by length."""
    start = pair.locator.start_s or 0.0
    per_character = max((pair.locator.end_s or start) - start, 0.0) / max(len(pair.answer), 1)
    for first, last in sentence_spans(pair.answer):
        yield start + first * per_character, start + last * per_character, pair.answer[first:last].strip()


def _part(pair: QAPair, start: float, end: float) -> QAPair | None:
    kept = [each for each in timed_sentences(pair) if start <= (each[0] + each[1]) / 2 <= end]
    return _made_of(pair, kept) if kept else None


def _minutes(pair: QAPair) -> Iterator[QAPair]:
    if pair.locator.start_s is None:
        yield pair
        return
    sentences = list(timed_sentences(pair))
    lasts = (pair.locator.end_s or pair.locator.start_s) - pair.locator.start_s
    parts = max(round(lasts / MINUTE_S), 1)
    for n in range(parts):
        edge = [pair.locator.start_s + lasts * each / parts for each in (n, n + 1)]
        if kept := [each for each in sentences if edge[0] <= each[0] < edge[1]]:
            yield _made_of(pair, kept)


def _made_of(pair: QAPair, sentences: Sequence[tuple[float, float, str]]) -> QAPair:
    """The pair cut to some of its sentences: its id stays, its place becomes theirs."""
    joint = "" if any("\u4e00" <= c <= "\u9fff" for c in pair.answer) else " "
    place = replace(pair.locator, start_s=round(sentences[0][0], 1), end_s=round(sentences[-1][1], 1))
    return replace(pair, answer=joint.join(text for *_, text in sentences), locator=place)
