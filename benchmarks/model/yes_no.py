"""Yes/no questions over passages and whole syllabi, naive (does this part say so) and by explaining first."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from documents import draw_syllabi
from turns import interval

from lab.evaluation.transcript_sets import Judged, read_judged, read_passage, transcript_figures
from services.dialogue.transcripts import METHODS, TranscriptAnswer
from services.language_model.client import OpenAiLanguageModel
from services.settings import Settings

PASSAGES, SYLLABI = 200, 40

Answers = dict[str, TranscriptAnswer]


def draw_passages(data: Path) -> list[Judged]:
    """Rows of boolq (seed 0)."""
    return random.Random(0).sample(read_judged(data / "reading" / "boolq_dev.jsonl"), PASSAGES)


def draw_whole_syllabi(data: Path) -> list[Judged]:
    """Yes/no rows of syllabusqa, each over its whole syllabus; those of one syllabus follow on each other."""
    folder = data / "fresh" / "syllabusqa" / "syllabi"
    texts = {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    drawn = [row for row in draw_syllabi(data, 957) if row["type"] == "yes/no"][:SYLLABI]
    order = list(dict.fromkeys(row["syllabus"] for row in drawn))
    return [
        Judged(
            question=row["question"],
            passage=texts[row["syllabus"]],
            yes=str(row["answer"]).lower().startswith("yes"),
        )
        for row in sorted(drawn, key=lambda row: order.index(row["syllabus"]))
    ]


def ask_all(
    rows: Sequence[Judged], base_url: str, model: str, show: Callable[[Judged, Answers], None]
) -> list[Answers]:
    """Every row by every method; what begins a prompt stays the same for one row."""
    settings = Settings(llm_base_url=base_url, llm_model=model, llm_timeout_s=600.0, llm_max_tokens=400)
    client = OpenAiLanguageModel(
        base_url=base_url,
        api_key="",
        model=model,
        timeout_s=settings.llm_timeout_s,
        max_tokens=settings.llm_max_tokens,
        max_retries=0,
    )
    asked = []
    with asyncio.Runner() as runner:
        for row in rows:
            asked.append({m: runner.run(read_passage(row, client, settings, method=m)) for m in METHODS})
            show(row, asked[-1])
        runner.run(client.aclose())
    return asked


def figures(rows: Sequence[Judged], asked: Sequence[Answers]) -> dict[str, Any]:
    """Accuracy, precision, recall, calls and tokens by method; a yes to everything beside them."""
    result: dict[str, Any] = {"n": len(rows), "yes is right": sum(row.yes for row in rows)}
    for method in METHODS:
        answers = [each[method] for each in asked]
        judged = [
            {"conversation": str(n), "right": answer.answer == ("yes" if row.yes else "no")}
            for n, (row, answer) in enumerate(zip(rows, answers, strict=True))
        ]
        result[method] = {
            **transcript_figures(rows, answers),
            "right": interval(judged, lambda each: each["right"]),
        }
    return result
