"""SRT and WebVTT: cues joined into sentences that keep their seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

import pysubs2

from vta.errors import InvalidInput
from vta.types import Block, Locator, SourceDocument

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_CUE_TIMES = re.compile(rf"^\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?$")
_SENTENCE_END = re.compile(r"[。！？!?.…][\"'”’)）]*$")
_ENDS_HAN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")
_LONGEST_SENTENCE = 300
_LONGEST_PAUSE_S = 3.0


def read_subtitles(text: str, *, path: str) -> SourceDocument:
    """One block a sentence, with the video's name and the seconds of its first and last cue.

    A sentence ends at its punctuation, at a pause of three seconds, or at 300 characters where the speech
    has no punctuation. Raises `InvalidInput` with the line of a broken time, or for a file without cues.
    """
    _check_times(text, path)
    file = PurePosixPath(path)
    try:
        subtitles = pysubs2.SSAFile.from_string(text, format_=file.suffix.lstrip(".").lower())
    except (pysubs2.exceptions.Pysubs2Error, ValueError) as error:
        raise InvalidInput(f"{path}: not a subtitle file: {error}", path=path) from error
    cues = [cue for cue in subtitles if not cue.is_comment and cue.plaintext.strip()]
    if not cues:
        raise InvalidInput(f"{path}, line 1: holds no cue", path=path, line=1)
    blocks = tuple(_sentences(cues, video=file.name))
    return SourceDocument(path=path, title=file.stem, blocks=blocks)


def _check_times(text: str, path: str) -> None:
    for number, line in enumerate(text.split("\n"), start=1):
        if "-->" not in line:
            continue
        if not _CUE_TIMES.match(line):
            message = f"{path}, line {number}: {line.strip()[:60]!r} is not `HH:MM:SS,mmm --> HH:MM:SS,mmm`"
            raise InvalidInput(message, path=path, line=number)
        start, end = (_seconds(time) for time in re.findall(_TIME, line)[:2])
        if end < start:
            message = f"{path}, line {number}: the cue ends before it starts"
            raise InvalidInput(message, path=path, line=number)


def _seconds(time: str) -> float:
    seconds = 0.0
    for part in time.replace(",", ".").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def _sentences(cues: list[pysubs2.SSAEvent], *, video: str) -> Iterator[Block]:
    spoken = ""
    start = end = 0
    for cue in cues:
        if spoken and cue.start - end > _LONGEST_PAUSE_S * 1000:
            yield _block(spoken, video, start, end)
            spoken = ""
        start = start if spoken else cue.start
        spoken = join_speech(spoken, " ".join(cue.plaintext.split()))
        end = max(end, cue.end)
        if _SENTENCE_END.search(spoken) or len(spoken) >= _LONGEST_SENTENCE:
            yield _block(spoken, video, start, end)
            spoken = ""
    if spoken:
        yield _block(spoken, video, start, end)


def join_speech(before: str, after: str) -> str:
    """Two pieces of speech as one: Chinese without a space between them."""
    if not before or _ENDS_HAN.search(before):
        return before + after
    return f"{before} {after}"


def _block(text: str, video: str, start_ms: int, end_ms: int) -> Block:
    return Block(text=text, locator=Locator(video=video, start_s=start_ms / 1000, end_s=end_ms / 1000))
