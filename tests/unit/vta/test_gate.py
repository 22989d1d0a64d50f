"""Small talk only where intent and evidence agree."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from vta.dialogue.gate import is_small_talk
from vta.types.courses import Thresholds

STACK = make.pair("What is a stack?", "A stack is changed at one end.")


def talks(
    h: float, relevance: float | None, *, task: float = 0.0, named: bool = False, alpha: float = 0.5
) -> bool:
    candidates = None if relevance is None else [make.candidate(STACK, relevance=relevance)]
    asked = make.understood(
        "lovely weather",
        mentions=(make.mention("stack"),) if named else (),
        intent=make.intent(h=h, other_task=task),
        thresholds=Thresholds(alpha=alpha),
    )
    return is_small_talk(asked, candidates)


def test_it_is_small_talk_where_intent_and_evidence_agree() -> None:
    assert talks(0.95, 0.1)


@pytest.mark.parametrize(
    ("h", "relevance", "named"), [(0.95, 0.9, True), (0.05, 0.1, False), (0.6, 0.5, True)]
)
def test_it_is_a_question_where_they_disagree(h: float, relevance: float, named: bool) -> None:
    assert not talks(h, relevance, named=named)


def test_another_task_speaks_for_it_and_a_named_concept_against_it() -> None:
    assert talks(0.3, 0.2, task=0.95)
    assert not talks(0.3, 0.6, task=0.5, named=True)


def test_without_search_the_intent_decides() -> None:
    assert talks(0.98, None)
    assert not talks(0.3, None)


def test_what_the_faq_asks_in_the_same_words_is_a_question() -> None:
    found = [make.candidate(replace(STACK, question="hello"), relevance=0.0)]
    assert not is_small_talk(make.understood("Hello!", intent=make.intent(h=0.99)), found)


@pytest.mark.parametrize(
    "text", ["num_workers设成多少", "what does fit() do", "can I hand in homework 3 late, I had the flu"]
)
def test_what_names_code_or_two_things_of_course_life_is_a_question(text: str) -> None:
    sure = make.intent(h=0.99)
    assert not is_small_talk(make.understood(text, intent=sure), [])
    assert is_small_talk(make.understood("my iPhone is late", intent=sure), [])


@pytest.mark.parametrize(
    "text",
    [
        "邻居家的树倒了砸到我家，谁来赔",
        "面发了三个小时还没动静是为啥",
        "租房押金能不能要回来",
        "why did my bread not rise?",
    ],
)
def test_everyday_words_of_a_field_that_the_classifier_does_not_know_are_a_question(text: str) -> None:
    """Words that ask are small talk only of the assistant, or with a word of small talk."""
    assert not is_small_talk(make.understood(text, intent=make.intent(h=0.95)), [])


@pytest.mark.parametrize(
    "text", ["你平时吃什么", "在吗？", "明天天气怎么样", "what is your favourite food?", "好累啊，不想动"]
)
def test_what_asks_of_the_assistant_or_of_the_weather_stays_small_talk(text: str) -> None:
    assert is_small_talk(make.understood(text, intent=make.intent(h=0.95)), [])


def test_a_higher_alpha_takes_less_for_small_talk() -> None:
    assert talks(0.8, 0.3, alpha=0.5)
    assert not talks(0.8, 0.3, alpha=0.95)
