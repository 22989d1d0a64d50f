"""A lecture as a course page shows it: its videos, and their transcripts line by line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    """A video of the course; `file` is its name as citations give it, `film` what plays it, if any."""

    file: str
    title: str
    film: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A line of a transcript that is spoken from second `start_s` of `video`."""

    video: str
    start_s: float
    text: str
