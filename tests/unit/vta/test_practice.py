"""Exercises are the course's own, without their solutions; a hint names one place at a time."""

from __future__ import annotations

from pathlib import Path

import factories as make
import pytest
from small_platform import SmallPlatform, write_files
from talk import Talk

from vta.dialogue.practice import asks_exercise
from vta.languages import Language
from vta.types.answers import Route

CIRCLES = """# Circles

The area of a circle with radius r is pi times the square of r.

## Diameter

The diameter is a line through the centre that cuts a circle in two halves.

## Exercises

1. Compute the area of a circle with radius 2.

It is 12.57, as pi times four is.

1. Halving four diameters of a circle gives two.

Which line cuts a circle in two halves?

The canary diameter.

## Solutions

The canary area of the circle with radius 2 is pi times four.

# Areas

A remark on the area of a circle with radius 2.

Solution: canary.
"""
ROUND = "# 圆\n\n半径为 3 的圆面积是 28.27。\n\n## 练习\n\n1. 半径为 2 的圆面积是多少？\n"
FIRST = "Compute the area of a circle with radius 2."
NONE = "I found no exercise on that in the course, or you have had them all."


@pytest.fixture
def small(small: SmallPlatform, tmp_path: Path) -> SmallPlatform:
    for name, language, notes in (("geo-en", Language.EN, CIRCLES), ("geo-zh", Language.ZH, ROUND)):
        course = make.course(name, language=language)
        small.courses.add(course)
        small.put(course, write_files(tmp_path / name, {"1.md": notes}))
    return small


@pytest.mark.parametrize("question", [
    "give me an exercise on circles", "quiz me on circles",
    "can I have some practice problems about circles?",
    "do you have any exercises on circles", "another exercise please", "I want to practice circles",
    "出一道关于圆的题", "给我几道圆的练习题", "考考我圆", "有没有关于圆的练习", "再来一道", "我想练习一下圆",
])  # fmt: skip
def test_a_request_for_an_exercise_is_one(question: str) -> None:
    assert asks_exercise(question)


@pytest.mark.parametrize("question", [
    "I have a question on circles", "how do I do exercise 3?",
    "what is the answer to the exercise on circles",
    "is there an exercise session on Friday", "can I ask a question about circles", "are exercises graded",
    "这道题怎么做", "第三题答案是什么", "给我讲讲背包问题", "课后练习要交吗", "习题课什么时候",
    "give me an exercise on circles " + "and so on " * 20,
])  # fmt: skip
def test_a_question_about_exercises_or_a_pasted_text_is_no_request(question: str) -> None:
    assert not asks_exercise(question)


async def test_an_exercise_is_quoted_with_its_place_and_without_what_stands_below_it(
    small: SmallPlatform, talk: Talk
) -> None:
    more = "another exercise please"
    first, second, third = await talk.say("Give me an exercise on circles", more, more, course="geo-en")
    shown = [each.citations[0].passage for each in (first, second)]
    assert shown == [FIRST, "Which line cuts a circle in two halves?"]
    assert first.route is Route.DIRECT
    assert first.text.startswith(f"An exercise of the course:\n\n> {FIRST} [1]")
    assert first.citations[0].locator.heading_path[-1] == "Exercises"
    assert third.text == NONE
    assert "12.57" not in f"{first}{second}"


async def test_a_course_without_one_on_the_subject_says_so(small: SmallPlatform, talk: Talk) -> None:
    assert (await talk.ask("quiz me on squares", "geo-en")).text == NONE


async def test_the_exercise_of_a_chinese_course_is_found(small: SmallPlatform, talk: Talk) -> None:
    answer = await talk.ask("出一道关于圆的题", "geo-zh")
    assert "半径为 2 的圆面积是多少？" in answer.text


async def test_hints_name_one_place_after_another_and_never_a_solution(
    small: SmallPlatform, talk: Talk
) -> None:
    texts = "Give me an exercise on circles", "hint", "another hint", "hint please"
    hints = (await talk.say(*texts, course="geo-en"))[1:]
    places = [each.citations[0].locator.heading_path[-1] for each in hints[:2]]
    assert sorted(places) == ["Circles", "Diameter"]
    assert hints[2].text == "I have no further hint on this exercise in the course."
    assert "canary" not in str(hints)


async def test_a_model_is_left_to_write_one_where_the_course_has_none(
    small: SmallPlatform, talk: Talk
) -> None:
    """Where the course has one it is quoted, and the model is not asked."""
    own = await talk.ask("Give me an exercise on circles", "geo-en", says="What is a square?")
    written = await talk.ask("quiz me on diameters of a square", "geo-en", says="What is a square?")
    assert FIRST in own.text
    assert written.text == "What is a square?"
