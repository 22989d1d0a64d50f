"""What a small model explains, and the course's own words below it."""

from __future__ import annotations

from typing import Any

import pytest
from talk import Talk

from prompts import phrases
from prompts.primers import refusal_sentence
from vta.languages import Language
from vta.types.answers import Answer, Route
from vta.types.courses import Thresholds
from vta.types.questions import Mode

WHY = {"stacks-en": "Why do editors undo with a stack?", "stacks-zh": "为什么编辑器用栈来撤销？"}
WELL = {
    "stacks-en": "The last command lies on top of the stack, so editors undo it first.",
    "stacks-zh": "编辑器把做过的操作放进栈里。",
}
LOOSE = {
    "stacks-en": "Knuth published this in Stanford during a long winter.",
    "stacks-zh": "高德纳在斯坦福的一个冬天发表了随机森林。",
}
CLOSEST = {"en": "I did not find exactly this", "zh": "课程里没有找到完全对应"}
COURSES = pytest.mark.parametrize("course", ["stacks-en", "stacks-zh"])


async def explained(talk: Talk, course: str, said: str, **more: Any) -> Answer:
    """What a small model's answer is told as."""
    return await talk.ask(WHY[course], course, says=said, quotes=True, **more)


@COURSES
async def test_the_words_of_the_course_stand_below_an_explanation(talk: Talk, course: str) -> None:
    given = await explained(talk, course, WELL[course])
    offline = await talk.ask(WHY[course], course)
    above, label, below = given.text.partition(phrases.own_words(Language(course[-2:])))
    assert above.startswith(WELL[course])
    assert label
    assert below.strip().split(" [")[0] == offline.text.split(" [")[0]
    assert given.route is Route.CHAIN_OF_TEACH


@COURSES
async def test_below_an_explanation_they_are_not_said_to_come_only_close(talk: Talk, course: str) -> None:
    """What the sentence above rests on answers, however unlikely the ranking held it."""
    doubtful = Thresholds(relevance=1.0, near=0.0)
    offline = await talk.ask(WHY[course], course, thresholds=doubtful)
    assert offline.text.startswith(CLOSEST[course[-2:]])
    given = await explained(talk, course, WELL[course], thresholds=doubtful)
    label = phrases.own_words(Language(course[-2:]))
    assert given.text.startswith(WELL[course])
    assert label in given.text
    assert CLOSEST[course[-2:]] not in given.text


@COURSES
async def test_they_are_not_said_twice(talk: Talk, course: str) -> None:
    offline = await talk.ask(WHY[course], course)
    given = await explained(talk, course, offline.text)
    assert phrases.own_words(Language(course[-2:])) not in given.text


@COURSES
@pytest.mark.parametrize("says", ["refusal", "loose"])
async def test_an_answer_that_rests_on_nothing_gives_way_to_what_comes_closest(
    talk: Talk, course: str, says: str
) -> None:
    """It is no answer, and says so before it quotes."""
    language = Language(course[-2:])
    said = LOOSE[course] if says == "loose" else refusal_sentence(language)
    given = await explained(talk, course, str(said))
    assert given.route is (Route.UNANSWERED if says == "loose" else Route.REFUSED)
    assert given.text.startswith(CLOSEST[language])
    assert given.citations
    assert LOOSE[course] not in given.text


@COURSES
async def test_a_hint_is_left_as_the_model_gave_it(talk: Talk, course: str) -> None:
    given = await explained(talk, course, WELL[course], mode=Mode.HINT)
    assert phrases.own_words(Language(course[-2:])) not in given.text
