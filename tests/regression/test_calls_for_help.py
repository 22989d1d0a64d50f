"""A struggling student is hardly ever met with small talk where the course has a passage in question."""

from __future__ import annotations

import json
from pathlib import Path

import factories as make
import pytest

from intent.albert import AlbertIntentClassifier
from vta.dialogue.gate import is_small_talk

HERE = Path(__file__).parents[1] / "data" / "help_seeking.jsonl"
CS1QA = Path(__file__).parents[3] / "shared/data/fresh/chat_vs_course/cs1qa_questions_en.jsonl"
FOUND = 0.6
"""The median relevance of the best passage for a question that the course answers is higher."""
_WORDS = ("help", "hint", "don't know", "why", "wrong", "error")


def read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def find_lost(texts: list[str]) -> list[str]:
    classifier, passage = AlbertIntentClassifier.load(), make.candidate(make.pair("?"), relevance=FOUND)
    return [
        text
        for text in texts
        if is_small_talk(make.understood(text, intent=classifier.predict(text)), [passage])
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_most_one_of_six_calls_for_help_that_name_no_concept_is_small_talk(language: str) -> None:
    texts = [row["text"] for row in read(HERE) if row["language"] == language]
    assert len(texts) == 60
    assert len(find_lost(texts)) <= 10


def test_none_of_twenty_calls_for_help_of_a_class_chat_is_small_talk() -> None:
    if not CS1QA.is_file():
        pytest.skip(f"{CS1QA} is missing")
    asking = [row["text"] for row in read(CS1QA) if any(word in row["text"].lower() for word in _WORDS)]
    assert len(asking) >= 20
    assert find_lost(asking[:20]) == []
