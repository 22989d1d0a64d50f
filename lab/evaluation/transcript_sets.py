"""Yes/no questions with their passages: how often a transcript is read rightly, and what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from lab.evaluation.rows import Cell, read_rows
from services.dialogue.transcripts import TranscriptAnswer, ask_transcript
from services.settings import Settings
from vta.ports import LanguageModel
from vta.quotes import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A question, its passage, and whether the answer is yes."""

    question: Cell
    passage: Cell
    yes: Annotated[bool, Field(validation_alias="answer")]


def read_judged(file: Path) -> list[Judged]:
    """The rows of JSON Lines {question, passage, answer: true or false}."""
    return read_rows(file, Judged)


async def measure_transcripts(
    rows: Sequence[Judged], model: LanguageModel | None, settings: Settings, *, method: str
) -> dict[str, object]:
    """The figures of all rows by one method."""
    return transcript_figures(rows, [await read_passage(row, model, settings, method=method) for row in rows])


async def read_passage(
    row: Judged, model: LanguageModel | None, settings: Settings, *, method: str
) -> TranscriptAnswer:
    """What is answered from the row's passage."""
    return await ask_transcript(
        [Line(text=row.passage)],
        row.question,
        method=method,
        model=model,
        context_tokens=settings.prompt_tokens + settings.llm_max_tokens,
        output_tokens=settings.llm_max_tokens,
    )


def transcript_figures(rows: Sequence[Judged], answers: Sequence[TranscriptAnswer]) -> dict[str, object]:
    """Precision and recall of yes, the share decided, calls and tokens; null where nothing was to count."""
    seen = Counter((answer.answer, row.yes) for row, answer in zip(rows, answers, strict=True))
    said_yes = seen["yes", True] + seen["yes", False]
    right = seen["yes", True] + seen["no", False]
    return {
        "precision": _share(seen["yes", True], said_yes),
        "recall": _share(seen["yes", True], sum(row.yes for row in rows)),
        "accuracy": _share(right, len(rows)),
        "unknown": seen["unknown", True] + seen["unknown", False],
        "failed": sum(bool(answer.degraded) for answer in answers),
        "calls": sum(answer.calls for answer in answers),
        "tokens": sum(answer.tokens for answer in answers),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
