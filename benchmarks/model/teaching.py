"""Chain of Teach against the same prompt without the reasoning chain r, and against "think step by step".

The prompts differ in the concepts alone, so the proxy cuts them out of the prompt that the platform sends.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from asking import Reply, Ways
from kept import KeptModel
from turns import WITH, draw_conversations

from vta.types.courses import CourseId
from vta.types.questions import Question

TURNS = 40
PLAIN, STEPS = "without the reasoning chain", "think step by step"

_CONCEPTS = re.compile(r"^## Concepts\n.*?^(?=## Documents$|## Question$)", re.DOTALL | re.MULTILINE)
_STEP_BY_STEP = {"en": "Let's think step by step.", "zh": "让我们一步一步地思考。"}

Row = dict[str, Any]


def draw_taught(data: Path, ways: Ways, most: int) -> list[Row]:
    """First turns (seed 0) that the platform teaches with concepts."""
    first = [conversation[0] for conversation in draw_conversations(data, every=1)]
    random.Random(0).shuffle(first)
    taught = (row for row in first if ways.is_taught(CourseId(row["course"]), row["question"]))
    return [row for row, _ in zip(taught, range(most), strict=False)]


def compare(ways: Ways, kept: KeptModel, row: Row) -> dict[str, Reply]:
    """One question by the three prompts."""
    question = Question(course_id=CourseId(row["course"]), text=row["question"])
    step = _STEP_BY_STEP["zh" if re.search("[一-鿿]", row["question"]) else "en"]
    edits = {
        WITH: None,
        PLAIN: without_concepts,
        STEPS: lambda m: f"{without_concepts(m).rstrip()}\n\n{step}",
    }
    replies = {}
    for way, kept.edit in edits.items():
        replies[way], _ = ways.ask(ways.platform, way, question)
    kept.edit = None
    return replies


def without_concepts(prompt: str) -> str:
    """A prompt that teaches, without r."""
    return _CONCEPTS.sub("", prompt)


def blind_pairs(rows: Sequence[Row], asked: Sequence[Mapping[str, Reply]]) -> tuple[list[str], list[Row]]:
    """Pairs to read without knowing which is which (seed 0), and their key."""
    draw, texts, key = random.Random(0), list[str](), list[Row]()
    for number, (row, replies) in enumerate(zip(rows, asked, strict=True), start=1):
        for other in (PLAIN, STEPS):
            if replies[WITH].text == replies[other].text:
                continue
            pair = [WITH, other]
            draw.shuffle(pair)
            key.append({"pair": len(key) + 1, "question": number, "A": pair[0], "B": pair[1]})
            texts.append(
                f"## {len(key)}\n\n> {row['question']}\n\n**A**\n\n{replies[pair[0]].text}\n\n"
                f"**B**\n\n{replies[pair[1]].text}\n"
            )
    return texts, key
