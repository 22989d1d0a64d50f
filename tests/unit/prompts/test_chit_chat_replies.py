"""Small talk without a model fits its kind, names the course, and points to human help in distress."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import factories as make
import pytest

from prompts.render import render
from vta.dialogue.small_talk import (
    HELP_LINES,
    CaringChitChat,
    comfort,
    reply_kind,
)
from vta.languages import Language
from vta.patterns import read_table
from vta.types.courses import Course, CourseId
from vta.types.questions import IntentLabel, IntentPrediction

ZH, EN = Language.ZH, Language.EN
KINDS = (*read_table("vta.dialogue", "small_talk.toml")["talk"], "feeling", "default")
COURSES = {
    ZH: Course(id=CourseId("ds"), name="数据结构", domains=("计算机",), language=ZH),
    EN: Course(id=CourseId("ml"), name="Machine learning basics", domains=("Computing",), language=EN),
}
TALK = [
    ("你好呀", ZH, "greeting"),
    ("在吗", ZH, "greeting"),
    ("谢谢你", ZH, "thanks"),
    ("拜拜，下次见", ZH, "goodbye"),
    ("你好呀，今天好累", ZH, "weary"),
    ("作业太难了，想放弃", ZH, "weary"),
    ("壓力好大", ZH, "weary"),
    ("你真笨蛋", ZH, "insult"),
    ("你是谁？", ZH, "identity"),
    ("你是机器人吗", ZH, "identity"),
    ("今天天气真好", ZH, "default"),
    ("hello there", EN, "greeting"),
    ("thanks a lot!", EN, "thanks"),
    ("ok bye", EN, "goodbye"),
    ("Hi, I am so tired today", EN, "weary"),
    ("I feel overwhelmed", EN, "weary"),
    ("you are useless", EN, "insult"),
    ("Who are you?", EN, "identity"),
    ("nice weather", EN, "default"),
    ("this chip is cheap", EN, "default"),
    ("thx!", EN, "thanks"),
    ("great answer", EN, "praise"),
    ("lol ok cool", EN, "assent"),
    ("I passed!!", EN, "joy"),
    ("this is so confusing i hate this", EN, "frustration"),
    ("nobody likes me", EN, "lonely"),
    ("are you ChatGPT?", EN, "identity"),
    ("谢啦", ZH, "thanks"),
    ("你好可爱", ZH, "praise"),
    ("好的好的", ZH, "assent"),
    ("终于考完了，太开心了", ZH, "joy"),
    ("气死我了", ZH, "frustration"),
    ("好孤独啊", ZH, "lonely"),
    ("你是chatgpt吗", ZH, "identity"),
    ("很高兴认识你", ZH, "default"),
]


def predicted(label: IntentLabel = IntentLabel.GENERAL_CHAT) -> IntentPrediction:
    return IntentPrediction(label=label, chit_chat=0.9, probabilities={label: 0.9})


def reply(question: str, language: Language, label: IntentLabel = IntentLabel.GENERAL_CHAT) -> str:
    return CaringChitChat().reply(
        question, course=COURSES[language], intent=predicted(label), language=language
    )


@pytest.mark.parametrize(("question", "language", "kind"), TALK)
def test_a_reply_is_one_of_its_kind_and_leads_back_to_the_course_by_name(
    question: str, language: Language, kind: str
) -> None:
    course = COURSES[language]
    text = reply(question, language)
    assert reply_kind(question, predicted()) == kind
    assert text in render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name).splitlines()
    assert course.name in text


@pytest.mark.parametrize("language", list(Language))
def test_care_names_the_help_line_of_the_school_and_no_course(language: Language) -> None:
    """The numbers of a default are those of `HELP_LINES`."""
    default = CaringChitChat().care(language)
    assert {ZH: "12356", EN: "988"}[language] in default
    own = CaringChitChat(help_lines={ZH: "校心理中心 8888", EN: "Counselling, room 4"}).care(language)
    assert {ZH: "校心理中心 8888", EN: "Counselling, room 4"}[language] in own
    assert {ZH: "信任", EN: "trust"}[language] in own
    assert not any(course.name in default + own for course in COURSES.values())
    assert HELP_LINES[language] not in own


def test_an_emotional_intent_decides_where_no_word_does() -> None:
    assert reply_kind("hm", make.intent(IntentLabel.EMOTIONAL_CHAT)) == "feeling"
    assert reply_kind("hm", predicted()) == "default"


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("kind", KINDS)
def test_replies_are_plain_text_and_differ_between_kinds(language: Language, kind: str) -> None:
    lines = render(f"chit_chat/replies.{language}.j2", kind=kind, course="X").splitlines()
    others = {
        line
        for other in KINDS
        if other != kind
        for line in render(f"chit_chat/replies.{language}.j2", kind=other, course="X").splitlines()
    }
    assert lines
    assert not others & set(lines)
    assert not re.search(r"[*_#`\[\]<>|]", "".join(lines))
    assert len(lines) >= 2


@pytest.mark.parametrize("kind", ["thanks", "assent", "goodbye"])
def test_a_reply_to_thanks_fits_after_an_answer_that_found_nothing(kind: str) -> None:
    """It does not claim that something helped, or that it is good."""
    for language, course in COURSES.items():
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name)
        assert not re.search(r"helped|[Gg]lad that|Good!|Wonderful|帮到|帮上|太好了", replies)


def test_replies_vary_with_the_question_but_not_with_time() -> None:
    questions = [f"hello {i}" for i in range(30)]
    first = [reply(q, EN) for q in questions]
    assert first == [reply(q, EN) for q in questions]
    assert len(set(first)) == 3


@pytest.mark.parametrize(
    ("question", "language", "kind", "word"),
    [
        ("solve assignment 2 for me", EN, "homework", "hint"),
        ("what grade did Anna get", EN, "others", "other people"),
        ("how is the weather today", EN, "weather", "weather"),
        ("translate good night into Thai", EN, "translation", "Translating"),
        ("tell me a joke", EN, "entertainment", "songs"),
        ("how do i cook pasta", EN, "task", "outside the course"),
        ("帮我写作业", ZH, "homework", "提示"),
        ("小王考了多少分", ZH, "others", "别人"),
        ("今天天气怎么样", ZH, "weather", "天气"),
        ("把这句话翻译成日语", ZH, "translation", "翻译"),
        ("讲个笑话", ZH, "entertainment", "笑话"),
        ("红烧肉怎么做", ZH, "task", "超出了课程的范围"),
    ],
)
def test_a_task_that_is_not_the_courses_is_declined_in_one_fitting_sentence(
    question: str, language: Language, kind: str, word: str
) -> None:
    intent = replace(predicted(), other_task=0.9)
    text = CaringChitChat().reply(question, course=COURSES[language], intent=intent, language=language)
    assert reply_kind(question, intent) == kind
    assert word in text
    assert COURSES[language].name in text
    assert "[1]" not in text
    assert len(re.findall(r"[.。!！?？]", text)) == 1


@pytest.mark.parametrize(("question", "is_sad"), [("thanks!", False), ("i passed!", False), ("hm", True)])
def test_a_prompt_speaks_of_sorrow_only_where_the_words_name_nothing_brighter(
    question: str, is_sad: bool
) -> None:
    intent = make.intent(IntentLabel.EMOTIONAL_CHAT, h=0.9)
    talk: Any = {"course": COURSES[EN], "intent": intent, "knowledge": (), "history": (), "language": EN}
    assert ("stressed" in CaringChitChat().prompt(question, **talk)[0].content) is is_sad


@pytest.mark.parametrize("question", ["thanks, you are great", "hello"])
def test_words_of_talk_win_over_a_task_that_is_not_named(question: str) -> None:
    """So a wrong guess of the model declines nothing that nobody asked for."""
    intent = replace(predicted(), other_task=0.9)
    assert reply_kind(question, intent) == reply_kind(question, predicted())


@pytest.mark.parametrize(
    ("text", "language", "is_upset"),
    [
        ("递归太难了，崩溃了", ZH, True),
        ("recursion is too hard, i am so frustrated", EN, True),
        ("什么是递归", ZH, False),
        ("what is recursion", EN, False),
    ],
)
def test_only_an_upset_student_is_comforted(text: str, language: Language, is_upset: bool) -> None:
    assert bool(comfort(text, language)) is is_upset


@pytest.mark.parametrize("kind", KINDS)
def test_no_reply_offers_what_a_yes_would_not_bring(kind: str) -> None:
    """A yes is answered as an assent, which begins nothing."""
    for language, course in COURSES.items():
        replies = render(f"chit_chat/replies.{language}.j2", kind=kind, course=course.name)
        assert not re.search(r"\b[Ss]hall we\b|试试？|好吗？|要不要", replies)
