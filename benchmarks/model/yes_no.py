"""Yes/no questions over passages and whole syllabi, naive (does this part say so) and by explaining first."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from documents import draw_syllabi
from kept import KeptModel

from services.evaluation.transcript_sets import Judged, measure_transcripts, read_judged
from services.language_model.client import OpenAiLanguageModel
from services.settings import Settings
from vta.transcripts.shapes import Method

PASSAGES, SYLLABI = 200, 40


def draw_passages(data: Path, most: int) -> list[Judged]:
    """Rows of boolq (seed 0)."""
    return random.Random(0).sample(read_judged(data / "reading" / "boolq_dev.jsonl"), most)


def draw_whole_syllabi(data: Path, most: int) -> list[Judged]:
    """Yes/no rows of syllabusqa, each over its whole syllabus."""
    folder = data / "fresh" / "syllabusqa" / "syllabi"
    texts = {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    rows = [row for row in draw_syllabi(data, 957) if row["type"] == "yes/no"]
    return [
        Judged(
            question=row["question"],
            passage=texts[row["syllabus"]],
            yes=str(row["answer"]).lower().startswith("yes"),
        )
        for row in rows[:most]
    ]


def measure(data: Path, base_url: str, model: str, kept: KeptModel, share: float) -> dict[str, Any]:
    """Accuracy, precision, recall, calls and tokens of both methods on both sets."""
    settings = Settings(llm_base_url=base_url, llm_model=model, llm_timeout_s=600.0)
    sets: dict[str, Sequence[Judged]] = {
        "boolq": draw_passages(data, round(PASSAGES * share)),
        "syllabi": draw_whole_syllabi(data, round(SYLLABI * share)),
    }
    return {
        f"{name}, {method}": {"n": len(rows), **asyncio.run(_measure(rows, settings, method))}
        for name, rows in sets.items()
        for method in Method
    }


async def _measure(rows: Sequence[Judged], settings: Settings, method: Method) -> dict[str, object]:
    client = OpenAiLanguageModel(
        base_url=str(settings.llm_base_url),
        api_key="",
        model=str(settings.llm_model),
        timeout_s=settings.answer_timeout_s,
        max_tokens=settings.llm_max_tokens,
        max_retries=0,
    )
    return await measure_transcripts(rows, client, settings, method=method)
