"""40 questions about where the student is: what is shown lies in that minute, heading or lecture."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.dialogue.position import stem
from vta.types.answers import Answer, Citation, Route
from vta.types.courses import CourseId
from vta.types.questions import Position, Question

QUESTIONS = Path(__file__).parents[1] / "data" / "questions_about_here.jsonl"
LEAST_RIGHT = 0.90
SLACK_S = 10.0
"""A sentence that is running at the edge of the minute is shown whole."""


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    made = build_platform(Settings(home=tmp_path_factory.mktemp("here")))
    list(create_demo_courses(made))
    yield made
    made.connections.close()


def lies_there(citation: Citation, position: dict[str, Any], *, whole: bool) -> bool:
    """Whether a citation is of the student's minute, heading or lecture."""
    name = position.get("video") or position["unit"]
    if citation.document is None or stem(citation.document) != stem(name):
        return False
    if whole:
        return True
    if "heading" in position:
        return position["heading"] in citation.locator.heading_path
    start, end = citation.locator.start_s or 0.0, citation.locator.end_s or 0.0
    return start >= position["second"] - 60 - SLACK_S and end <= position["second"] + 5 + SLACK_S


async def ask(platform: Platform, row: dict[str, Any]) -> Answer:
    question = Question(
        course_id=CourseId(row["course"]), text=row["question"], position=Position(**row["position"])
    )
    return await platform.assistant.answer(question)


async def test_what_is_shown_lies_where_the_student_is(platform: Platform) -> None:
    """For at least nine in ten; the questions were written before the words that recognise them."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    missed = []
    for row in rows:
        answer = await ask(platform, row)
        cited = answer.citations
        if not (cited and all(lies_there(c, row["position"], whole=row["whole"]) for c in cited)):
            missed.append(row["question"])
    assert len(rows) == 40
    assert len(rows) - len(missed) >= LEAST_RIGHT * len(rows), missed


@pytest.mark.parametrize(
    ("course", "question"),
    [("machine-learning-en", "summarise this lecture"), ("data-structures-zh", "这一页讲什么")],
)
async def test_without_a_position_it_asks_which_lecture_is_meant(
    platform: Platform, course: str, question: str
) -> None:
    answer = await platform.assistant.answer(Question(course_id=CourseId(course), text=question))
    assert answer.route is Route.DIRECT
    assert answer.text.startswith(("Which lecture", "你指的是哪一讲"))
    assert 2 <= len(answer.citations) <= 5
    named = [stem(citation.document or "") for citation in answer.citations]
    assert len(set(named)) == len(named), "notes and subtitles of a lecture are one choice"
