"""Transcripts of videos inside a course export: SRT, WebVTT, and the platform's own JSON form."""

from __future__ import annotations

import json
from collections.abc import Iterator

from knowledge.sources.subtitles import Cue, read_cues, sentences
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.types import Block


def transcript_blocks(
    text: str, *, kind: str, path: str, video: str, above: tuple[str, ...]
) -> Iterator[Block]:
    """The sentences of a transcript with their seconds, under the headings of the video."""
    cues = _json_cues(text, path) if kind == ".sjson" else read_cues(text, path=path, webvtt=kind == ".vtt")
    return sentences([cue for cue in cues if cue.text], video=video, above=above)


def _json_cues(text: str, path: str) -> Iterator[Cue]:
    """{"start": [ms...], "end": [ms...], "text": [...]}, three lists of one length."""
    try:
        found = json.loads(text)
        starts, ends, texts = found["start"], found["end"], found["text"]
        if not len(starts) == len(ends) == len(texts):
            raise ValueError("the lists differ in length")
        for start, end, said in zip(starts, ends, texts, strict=True):
            yield Cue(float(start) / 1000, float(end) / 1000, " ".join(str(said or "").split()))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(Fault("subtitles.no_transcript", reason=str(error)).at(path, 1)) from error
