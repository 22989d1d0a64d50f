"""The sample courses answer as a student would expect, with the shipped model and no language model."""

from __future__ import annotations

import asyncio

import pytest

from services.demo.sample_courses import create_demo_courses
from services.settings import Settings
from services.wiring import Platform, build_platform
from vta.types.answers import Answer, Route
from vta.types.courses import CourseId, SessionId
from vta.types.questions import Question

ZH = CourseId("data-structures-zh")
EN = CourseId("machine-learning-en")


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory):
    built = build_platform(Settings(home=tmp_path_factory.mktemp("demo")))
    list(create_demo_courses(built))
    yield built
    built.close()


def ask(platform: Platform, course: CourseId, text: str, session: SessionId | None = None) -> Answer:
    question = Question(course_id=course, text=text, session_id=session)
    return asyncio.run(platform.assistant.answer(question))


@pytest.mark.parametrize(
    ("course", "text", "route"),
    [
        (ZH, "什么是栈？", Route.DIRECT),
        (ZH, "栈和队列有什么区别？", Route.CHAIN_OF_TEACH),
        (ZH, "你好呀，今天好累", Route.CHIT_CHAT),
        (ZH, "怎样获得课程证书？", Route.DIRECT),
        (ZH, "法国的首都是哪里", Route.CHIT_CHAT),
        (ZH, "什么是光合作用？", Route.UNANSWERED),
        (EN, "What is overfitting?", Route.DIRECT),
        (EN, "What is the difference between precision and recall?", Route.CHAIN_OF_TEACH),
        (EN, "Hi there, I'm so tired today", Route.CHIT_CHAT),
        (EN, "How do I get a certificate?", Route.DIRECT),
        (EN, "Who won the world cup?", Route.CHIT_CHAT),
        (EN, "What is photosynthesis?", Route.UNANSWERED),
    ],
)
def test_each_kind_of_question_takes_its_road(platform, course, text, route):
    """Definitions are answered directly, comparisons taught, other tasks declined, the rest not guessed."""
    answer = ask(platform, course, text)
    assert answer.route is route
    assert bool(answer.citations) == (route in (Route.DIRECT, Route.CHAIN_OF_TEACH))


@pytest.mark.parametrize(
    ("course", "first", "then", "standalone"),
    [
        (ZH, "什么是栈？", "那它和队列有什么区别？", "什么是栈？"),
        (EN, "What is gradient descent?", "And what is its learning rate?", "gradient descent"),
    ],
)
def test_a_follow_up_is_looked_up_as_what_it_stands_for(platform, course, first, then, standalone):
    """It is searched with the question that opened the subject, and the session goes on."""
    opened = ask(platform, course, first)
    followed = ask(platform, course, then, opened.session_id)
    assert standalone in followed.standalone_question
    assert followed.session_id == opened.session_id
    assert [turn.question for turn in platform.stores.sessions.turns(course, opened.session_id)] == [
        first,
        then,
    ]


def test_prerequisites_say_where_they_are_taught(platform):
    """Each prerequisite of a concept comes with its definition and a place in the course."""
    (card,) = ask(platform, ZH, "什么是栈？").concepts
    assert {known.name for known in card.prerequisites} == {"线性表", "后进先出"}
    assert all(known.definition and known.where for known in card.prerequisites)
