"""The forms that a language model fills in, and the answers made of them.

A form is filled in from its first field on: what an answer rests on stands before the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vta.transcripts.quotes import Quote
from vta.types import Degradation

YesNo = Literal["yes", "no", "unknown"]
Method = Literal["naive", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
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
