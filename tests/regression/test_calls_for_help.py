"""A struggling student is never met with small talk: the shipped classifier at the shipped alpha."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from intent.albert import AlbertIntentClassifier
from vta.types.courses import Thresholds

HERE = Path(__file__).parents[1] / "data" / "help_seeking.jsonl"
CS1QA = Path(__file__).parents[3] / "shared/data/fresh/chat_vs_course/cs1qa_questions_en.jsonl"
_WORDS = ("help", "hint", "don't know", "why", "wrong", "error")


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def find_lost(texts: list[str]) -> list[str]:
    classifier, alpha = AlbertIntentClassifier.load(), Thresholds().alpha
    predictions = {text: classifier.predict(text) for text in texts}
    return [text for text, p in predictions.items() if p.chit_chat > alpha or p.is_other_task]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_none_of_sixty_calls_for_help_is_small_talk_or_another_task(language: str) -> None:
    texts = [row["text"] for row in read(HERE) if row["language"] == language]
    assert len(texts) == 60
    assert find_lost(texts) == []


def test_none_of_twenty_calls_for_help_of_a_class_chat_is_small_talk() -> None:
    if not CS1QA.is_file():
        pytest.skip(f"{CS1QA} is missing")
    asking = [row["text"] for row in read(CS1QA) if any(word in row["text"].lower() for word in _WORDS)]
    assert len(asking) >= 20
    assert find_lost(asking[:20]) == []
