"""Small talk by the intent, unless the question asks about something."""

from __future__ import annotations

from dataclasses import replace

import factories as make
import pytest

from vta.dialogue.gate import is_small_talk
from vta.types.courses import Thresholds

STACK = make.pair("What is a stack?", "A stack is changed at one end.")


def talks(h: float, relevance: float = 0.1, *, task: float = 0.0, alpha: float = 0.5) -> bool:
    intent, thresholds = make.intent(h=h, other_task=task), Thresholds(alpha=alpha)
    asked = make.understood("lovely weather", intent=intent, thresholds=thresholds)
    return is_small_talk(asked, [make.candidate(STACK, relevance=relevance)])


def test_it_is_small_talk_where_h_is_above_alpha() -> None:
    assert talks(0.6)
    assert not talks(0.3)


def test_it_is_another_task_where_that_is_likely_and_the_course_does_not_answer() -> None:
    assert talks(0.3, task=0.95)
    assert not talks(0.3, 0.9, task=0.95)


@pytest.mark.parametrize(("relevance", "is_talk"), [(0.1, True), (0.6, False), (None, False)])
def test_another_task_that_asks_is_one_where_the_course_holds_nothing_near(
    relevance: float | None, is_talk: bool
) -> None:
    """Without a search nothing says that the course holds nothing."""
    candidates = None if relevance is None else [make.candidate(STACK, relevance=relevance)]
    asked = make.understood("why did my bread not rise?", intent=make.intent(h=0.3, other_task=0.95))
    assert is_small_talk(asked, candidates) is is_talk


def test_a_concept_on_which_the_course_answers_is_a_question() -> None:
    def talks_of_stacks(relevance: float) -> bool:
        asked = make.understood(
            "my stack again", intent=make.intent(h=0.9), mentions=(make.mention("stack", 3),)
        )
        return is_small_talk(asked, [make.candidate(STACK, relevance=relevance)])

    assert talks_of_stacks(0.1)
    assert not talks_of_stacks(0.9)


def test_thanks_behind_a_question_about_a_concept_stay_small_talk() -> None:
    """Their mentions are those of the question before."""
    more = {"standalone": "What is a stack? thanks, that helps", "mentions": (make.mention("stack", 10),)}
    asked = make.understood("thanks, that helps", intent=make.intent(h=0.9), **more)
    assert is_small_talk(asked, [make.candidate(STACK, relevance=0.9)])


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


@pytest.mark.parametrize("text", ["thx!", "tysm", "谢谢，再见"])
def test_nothing_but_thanks_is_small_talk_whatever_the_classifier_says(text: str) -> None:
    assert is_small_talk(make.understood(text, intent=make.intent(h=0.1)), [])


@pytest.mark.parametrize("text", ["谢谢，那什么是栈", "thanks! and why is that so", "谢谢，方差呢"])
def test_thanks_before_a_question_do_not_make_it_small_talk(text: str) -> None:
    assert not is_small_talk(make.understood(text, intent=make.intent(h=0.9)), [])


@pytest.mark.parametrize("text", ["ty type", "bye bye birdie theorem", "hash", "?"])
def test_what_is_more_or_less_than_thanks_is_left_to_the_classifier(text: str) -> None:
    assert not is_small_talk(make.understood(text, intent=make.intent(h=0.1)), [])


def test_a_higher_alpha_takes_less_for_small_talk() -> None:
    assert talks(0.8, alpha=0.5)
    assert not talks(0.8, alpha=0.95)
