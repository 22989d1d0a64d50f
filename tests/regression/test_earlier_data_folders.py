"""A data folder that an earlier version made opens, and its courses answer.

No version was released yet; the folders are of commits on the way, named by their last migration.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest
from earlier_homes import ASKED
from small_platform import KeywordIntents

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types import Answer, CourseId, FaqDraft, Question, QuestionState, Route

HOMES = Path(__file__).parents[1] / "data" / "homes"
VERSIONS = sorted(file.name.partition(".")[0] for file in HOMES.glob("*.answers.jsonl"))
SMALL = sorted(file.name.partition(".")[0] for file in HOMES.glob("*.small.db.xz"))
CERTIFICATES = {"stacks-en": "Score at least 60 points", "stacks-zh": "总评达到 60 分"}


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """The number of the last migration that the folder's version had."""
    return str(request.param)


async def test_what_an_earlier_data_folder_answered_is_answered_still(version: str, tmp_path: Path) -> None:
    """Of forty questions in both languages, those that were answered with sources; words may be others."""
    (tmp_path / "vta.db").write_bytes(lzma.decompress((HOMES / f"{version}.db.xz").read_bytes()))
    lines = (HOMES / f"{version}.answers.jsonl").read_text(encoding="utf-8").splitlines()
    platform = build_platform(Settings(home=tmp_path))
    try:
        rows = [json.loads(line) for line in lines]
        assert len(rows) == 40
        answered = [row for row in rows if row["citations"]]
        assert [row["question"] for row in answered if not (await _ask(platform, row)).citations] == []
        assert len(platform.stores.sessions.waiting_questions(CourseId("machine-learning-en"))) == 1
    finally:
        platform.close()


async def _ask(platform: Platform, row: dict[str, object]) -> Answer:
    question = Question(course_id=CourseId(str(row["course"])), text=str(row["question"]))
    return await platform.previewer.answer(question)


@pytest.fixture(params=SMALL)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    """A platform over the store that tests/earlier_homes.py made with the code of an earlier commit."""
    (tmp_path / "vta.db").write_bytes(lzma.decompress((HOMES / f"{request.param}.small.db.xz").read_bytes()))
    platform = build_platform(Settings(home=tmp_path), intents=KeywordIntents())
    yield platform
    platform.close()


async def test_a_course_of_an_earlier_version_answers_and_is_worked_with(opened: Platform) -> None:
    """Its FAQ answers, its conversation and waiting question are there, and the question is answered."""
    assert {course.id for course in opened.stores.courses.courses()} == set(ASKED)
    for name, questions in ASKED.items():
        course_id = CourseId(name)
        answer = await opened.previewer.answer(Question(course_id=course_id, text=questions[0]))
        assert (answer.route, answer.degraded) == (Route.DIRECT, None)
        assert CERTIFICATES[name] in answer.text

        (waiting,) = opened.stores.sessions.waiting_questions(course_id, QuestionState.WAITING)
        assert waiting.question == questions[-1]
        context = opened.questions.report(course_id, waiting.id).context
        assert [turn.question for turn in context.before] == list(questions[:-1])

        draft = FaqDraft(question=questions[-1], answer="At eight.")
        opened.questions.answer(course_id, [waiting.id], draft, editor="Ann")
        assert not opened.stores.sessions.waiting_questions(course_id, QuestionState.WAITING)
        again = await opened.previewer.answer(Question(course_id=course_id, text=questions[-1]))
        assert "At eight." in again.text
