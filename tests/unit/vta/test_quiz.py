"""A quiz is a dialogue: an exercise, a try, the reference, the next one. Its state is the dialogue itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import factories as make
import pytest
from small_platform import SmallPlatform, write_files

from vta.languages import Language
from vta.types.answers import Answer, Route
from vta.types.courses import CourseId
from vta.types.questions import Mode, Position, Question

NOTES_EN = """# Circles

The area of a circle of radius 3 is 28.27.

## Exercises

1. What is the area of a circle with radius 2?
2. Which line cuts a circle in two halves?
3. Prove that a circle is round.

*Answers: 1: 12.57. 2: its diameter, a line through the centre.*
"""
NOTES_ZH = """# 圆

半径为 3 的圆面积是 28.27。

## 练习

1. 半径为 2 的圆面积是多少？（12.57）
2. 哪条线把圆平分？（直径）
"""
SQUARES = "# Squares\n\nA square has four sides.\n\n## Exercises\n\n1. How many corners has one? (four)\n"


class Student:
    """Asks one thing after another in one session."""

    def __init__(self, small: SmallPlatform, course: str, position: Position | None = None) -> None:
        self._assistant = small.assistant()
        self._last = Question(course_id=CourseId(course), text="", position=position)

    async def say(self, text: str, mode: Mode = Mode.ANSWER) -> Answer:
        answer = await self._assistant.answer(replace(self._last, text=text, mode=mode))
        self._last = replace(self._last, session_id=answer.session_id)
        return answer


@pytest.fixture
def small(small: SmallPlatform, tmp_path: Path) -> SmallPlatform:
    for name, language, notes in (
        ("geo-en", Language.EN, {"1-circles.md": NOTES_EN, "2-squares.md": SQUARES}),
        ("geo-zh", Language.ZH, {"1.md": NOTES_ZH}),
    ):
        course = make.course(name, language=language)
        small.courses.add(course)
        small.put(course, write_files(tmp_path / name, notes))
    return small


async def test_an_exercise_is_posed_without_its_answer(small: SmallPlatform) -> None:
    """It is cited, and neither the text nor the source gives the answer away."""
    answer = await Student(small, "geo-en").say("Quiz me!")
    assert answer.route is Route.DIRECT
    assert "radius 2" in answer.text
    assert [citation.document for citation in answer.citations] == ["1-circles.md"]
    assert "12.57" not in answer.text + answer.citations[0].passage


async def test_a_try_is_put_beside_the_reference(small: SmallPlatform) -> None:
    student = Student(small, "geo-en")
    await student.say("quiz me on circles")
    tried = await student.say("12.6?")
    assert "> 12.57" in tried.text
    assert "Yours holds all of its numbers and key terms: 12.57." in tried.text
    await student.say("next")
    tried = await student.say("a line through its middle")
    assert "I do not see in yours: diameter, centre." in tried.text


async def test_exercises_come_one_at_a_time_and_never_twice(small: SmallPlatform) -> None:
    student = Student(small, "geo-en")
    posed = [(await student.say(text)).text for text in ("quiz me on circles", "skip", "another one", "next")]
    assert "radius 2" in posed[0]
    assert "two halves" in posed[1]
    assert "is round" in posed[2]
    assert posed[3].startswith("You have had all")


@pytest.mark.parametrize("text", ["quiz me about squares", "give me an exercise on squares"])
async def test_a_quiz_on_a_topic_takes_its_exercises(small: SmallPlatform, text: str) -> None:
    assert "corners" in (await Student(small, "geo-en").say(text)).text


@pytest.mark.parametrize(
    "position", [Position(unit="2-squares"), Position(video="02-corners.mp4", second=3.0)]
)
async def test_a_quiz_on_nothing_begins_where_the_student_is(
    small: SmallPlatform, position: Position
) -> None:
    student = Student(small, "geo-en", position)
    assert "corners" in (await student.say("quiz me")).text
    assert "radius 2" in (await student.say("next")).text


async def test_the_answer_is_shown_on_request(small: SmallPlatform) -> None:
    """Where the material gives none, that is said, and nothing is made up."""
    student = Student(small, "geo-en")
    await student.say("quiz me on circles")
    assert "> 12.57" in (await student.say("just tell me")).text
    await student.say("next")
    await student.say("next")
    assert "gives no answer" in (await student.say("show me the answer")).text
    await student.say("quiz me on squares")
    assert "All right" in (await student.say("stop")).text


async def test_a_question_is_answered_in_the_middle_of_a_quiz(small: SmallPlatform) -> None:
    student = Student(small, "geo-en")
    await student.say("quiz me on squares")
    assert "reference" not in (await student.say("How many sides has a square?")).text


async def test_a_quiz_in_chinese(small: SmallPlatform) -> None:
    student = Student(small, "geo-zh")
    assert "半径为 2" in (await student.say("考考我")).text
    assert "> 12.57" in (await student.say("我的答案是 12.57")).text
    assert "平分" in (await student.say("下一题")).text
    assert "没有看到：直径" in (await student.say("半径吧")).text
    assert "都出过了" in (await student.say("再出道题")).text


@pytest.mark.parametrize(
    "text",
    [
        "When is the quiz?",
        "what is the quiz deadline",
        "第三题怎么做",
        "练习题答案在哪",
        "this is a question",
    ],
)
async def test_what_only_speaks_of_exercises_is_no_request(small: SmallPlatform, text: str) -> None:
    answer = await Student(small, "geo-en").say(text)
    assert not any(step.stage == "quiz" for step in answer.trace)
