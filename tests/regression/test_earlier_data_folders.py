"""A data folder that an earlier version made opens, and its courses answer.

The folders are named by the last migration of the commit that made them.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest
from earlier_homes import ASKED
from small_platform import KeywordIntents

from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.answers import Route
from vta.types.courses import CourseId
from vta.types.faq import FaqDraft
from vta.types.inbox import QuestionState
from vta.types.questions import Question

HOMES = Path(__file__).parents[1] / "data" / "homes"
VERSIONS = sorted(file.name.partition(".")[0] for file in HOMES.glob("*.db.xz"))
CERTIFICATES = {"stacks-en": "Score at least 60 points", "stacks-zh": "总评达到 60 分"}


@pytest.fixture(params=VERSIONS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Platform]:
    """A platform over the store that tests/earlier_homes.py made with the code of an earlier commit."""
    (tmp_path / "vta.db").write_bytes(lzma.decompress((HOMES / f"{request.param}.db.xz").read_bytes()))
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

        (waiting,) = opened.stores.asked.all_questions(course_id, QuestionState.WAITING)
        assert waiting.question == questions[-1]
        context = opened.questions.report(course_id, waiting.id).context
        assert [turn.question for turn in context.before] == list(questions[:-1])

        draft = FaqDraft(question=questions[-1], answer="At eight.")
        opened.questions.answer(course_id, [waiting.id], draft, editor="Ann")
        assert not opened.stores.asked.all_questions(course_id, QuestionState.WAITING)
        again = await opened.previewer.answer(Question(course_id=course_id, text=questions[-1]))
        assert "At eight." in again.text
