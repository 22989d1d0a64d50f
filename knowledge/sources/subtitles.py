"""SRT and WebVTT: cues joined into sentences that keep their seconds."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import PurePosixPath

from vta.errors import InvalidInput
from vta.types import Block, Locator, SourceDocument

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE_TIMES = re.compile(rf"^\s*({_TIME})\s*-->\s*({_TIME})(?:\s.*)?$")
_CLOCK = re.compile(r"\d:\d")
_MARKUP = re.compile(
    r"</?(?:[biusc]|ruby|rt)(?:\.[^\s>]*)?\s*>"  # <i>, <c.loud>
    r"|</?(?:font|lang|v)(?:[.\s][^>]*)?>"  # <v Speaker>
    r"|<\d+:[\d:.]+>"  # <00:01.500>
    r"|\{\\(?:an?\d+|[bius]\d|pos\([^)]*\))\}",  # {\an8}
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[。！？!?.…][\"'”’)）]*$")
_ENDS_HAN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")
_LONGEST_SENTENCE = 300
_LONGEST_PAUSE_S = 3.0


@dataclass(frozen=True, slots=True)
class _Cue:
    start_s: float
    end_s: float
    text: str


def read_subtitles(text: str, *, path: str) -> SourceDocument:
    """One block a sentence, with the video's name and the seconds of its first and last cue.

    A sentence ends at its punctuation, at a pause of three seconds, or at 300 characters where the speech
    has no punctuation. Markup, cue names, notes and styles are no speech. Raises `InvalidInput` with the
    line of a broken time, or for a file without cues.
    """
    file = PurePosixPath(path)
    cues = [cue for cue in _cues(text, path, webvtt=file.suffix.lower() == ".vtt") if cue.text]
    if not cues:
        raise InvalidInput(f"{path}, line 1: holds no cue", path=path, line=1)
    blocks = tuple(_sentences(cues, video=file.name))
    return SourceDocument(path=path, title=file.stem, blocks=blocks)


def _cues(text: str, path: str, *, webvtt: bool) -> Iterator[_Cue]:
    lines = text.split("\n")
    timings = [n for n, line in enumerate(lines) if "-->" in line and (webvtt or _is_timing(lines, n))]
    for n, following in pairwise((*timings, len(lines))):
        start_s, end_s = _times(lines[n], path, n + 1)
        body = lines[n + 1 : following]
        if webvtt:
            body = list(takewhile(str.strip, body))
        elif following < len(lines) and body and body[-1].strip().isdigit():
            body.pop()  # the number of the next cue
        spoken = _MARKUP.sub("", "\n".join(body))
        yield _Cue(start_s, end_s, " ".join((html.unescape(spoken) if webvtt else spoken).split()))


def _is_timing(lines: list[str], n: int) -> bool:
    """Whether a line of SRT with an arrow gives times; speech may hold arrows, too."""
    before = lines[n - 1].strip() if n else ""
    return not before or before.isdigit() or bool(_CLOCK.search(lines[n]))


def _times(line: str, path: str, number: int) -> tuple[float, float]:
    found = _CUE_TIMES.match(line)
    if not found:
        message = f"{path}, line {number}: {line.strip()[:60]!r} is not `HH:MM:SS,mmm --> HH:MM:SS,mmm`"
        raise InvalidInput(message, path=path, line=number)
    start_s, end_s = _seconds(found.group(1)), _seconds(found.group(2))
    if end_s < start_s:
        message = f"{path}, line {number}: the cue ends before it starts"
        raise InvalidInput(message, path=path, line=number)
    return start_s, end_s


def _seconds(time: str) -> float:
    seconds = 0.0
    for part in time.replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return round(seconds, 3)


def _sentences(cues: list[_Cue], *, video: str) -> Iterator[Block]:
    spoken = ""
    start_s = end_s = 0.0
    for cue in cues:
        if spoken and cue.start_s - end_s > _LONGEST_PAUSE_S:
            yield _block(spoken, video, start_s, end_s)
            spoken = ""
        start_s, end_s = (start_s, max(end_s, cue.end_s)) if spoken else (cue.start_s, cue.end_s)
        spoken = join_speech(spoken, cue.text)
        if _SENTENCE_END.search(spoken) or len(spoken) >= _LONGEST_SENTENCE:
            yield _block(spoken, video, start_s, end_s)
            spoken = ""
    if spoken:
        yield _block(spoken, video, start_s, end_s)


def join_speech(before: str, after: str) -> str:
    """Two pieces of speech as one: Chinese without a space between them."""
    if not before or _ENDS_HAN.search(before):
        return before + after
    return f"{before} {after}"


def _block(text: str, video: str, start_s: float, end_s: float) -> Block:
    return Block(text=text, locator=Locator(video=video, start_s=start_s, end_s=end_s))
