"""Small talk without a model fits its kind, names the course, and points to human help in distress."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from prompts.render import render
from vta.dialogue.small_talk import (
    HELP_LINES,
    CaringChitChat,
    TalkKind,
    TaskKind,
    reply_kind,
    talk_kind,
    task_kind,
)
from vta.types import Course, CourseId, IntentLabel, IntentPrediction, Language

ZH, EN = Language.ZH, Language.EN
COURSES = {
    ZH: Course(id=CourseId("ds"), name="数据结构", domains=("计算机",), language=ZH),
    EN: Course(id=CourseId("ml"), name="Machine learning basics", domains=("Computing",), language=EN),
}
TALK = [
    ("你好呀", ZH, TalkKind.GREETING),
    ("在吗", ZH, TalkKind.GREETING),
    ("谢谢你", ZH, TalkKind.THANKS),
    ("拜拜，下次见", ZH, TalkKind.GOODBYE),
    ("你好呀，今天好累", ZH, TalkKind.WEARY),
    ("作业太难了，想放弃", ZH, TalkKind.WEARY),
    ("壓力好大", ZH, TalkKind.WEARY),
    ("你真笨蛋", ZH, TalkKind.INSULT),
    ("你是谁？", ZH, TalkKind.IDENTITY),
    ("你是机器人吗", ZH, TalkKind.IDENTITY),
    ("今天天气真好", ZH, TalkKind.DEFAULT),
    ("hello there", EN, TalkKind.GREETING),
    ("thanks a lot!", EN, TalkKind.THANKS),
    ("ok bye", EN, TalkKind.GOODBYE),
    ("Hi, I am so tired today", EN, TalkKind.WEARY),
    ("I feel overwhelmed", EN, TalkKind.WEARY),
    ("you are useless", EN, TalkKind.INSULT),
    ("Who are you?", EN, TalkKind.IDENTITY),
    ("nice weather", EN, TalkKind.DEFAULT),
    ("this chip is cheap", EN, TalkKind.DEFAULT),
    ("thx!", EN, TalkKind.THANKS),
    ("great answer", EN, TalkKind.PRAISE),
    ("lol ok cool", EN, TalkKind.ASSENT),
    ("I passed!!", EN, TalkKind.JOY),
    ("this is so confusing i hate this", EN, TalkKind.FRUSTRATION),
    ("nobody likes me", EN, TalkKind.LONELY),
    ("are you ChatGPT?", EN, TalkKind.IDENTITY),
    ("谢啦", ZH, TalkKind.THANKS),
    ("你好可爱", ZH, TalkKind.PRAISE),
    ("好的好的", ZH, TalkKind.ASSENT),
    ("终于考完了，太开心了", ZH, TalkKind.JOY),
    ("气死我了", ZH, TalkKind.FRUSTRATION),
    ("好孤独啊", ZH, TalkKind.LONELY),
    ("你是chatgpt吗", ZH, TalkKind.IDENTITY),
    ("很高兴认识你", ZH, TalkKind.DEFAULT),
]


def predicted(label: IntentLabel = IntentLabel.GENERAL_CHAT) -> IntentPrediction:
    return IntentPrediction(label=label, chit_chat=0.9, probabilities={label: 0.9})


def reply(question: str, language: Language, label: IntentLabel = IntentLabel.GENERAL_CHAT) -> str:
    return CaringChitChat().reply(
        question, course=COURSES[language], intent=predicted(label), language=language
    )


@pytest.mark.parametrize(("question", "language", "kind"), TALK)
def test_a_reply_is_one_of_its_kind_and_leads_back_to_the_course_by_name(
    question: str, language: Language, kind: TalkKind
) -> None:
    course = COURSES[language]
    text = reply(question, language)
    assert talk_kind(question, emotional=False) is kind
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
    assert talk_kind("hm", emotional=True) is TalkKind.FEELING
    assert talk_kind("hm", emotional=False) is TalkKind.DEFAULT


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("kind", list(TalkKind))
def test_replies_are_plain_text_and_differ_between_kinds(language: Language, kind: TalkKind) -> None:
    lines = render(f"chit_chat/replies.{language}.j2", kind=kind, course="X").splitlines()
    others = {
        line
        for other in TalkKind
        if other is not kind
        for line in render(f"chit_chat/replies.{language}.j2", kind=other, course="X").splitlines()
    }
    assert lines
    assert not others & set(lines)
    assert not re.search(r"[*_#`\[\]<>|]", "".join(lines))
    assert len(lines) >= 2


def test_replies_vary_with_the_question_but_not_with_time() -> None:
    questions = [f"hello {i}" for i in range(30)]
    first = [reply(q, EN) for q in questions]
    assert first == [reply(q, EN) for q in questions]
    assert len(set(first)) == 3


@pytest.mark.parametrize(
    ("question", "language", "kind", "word"),
    [
        ("solve assignment 2 for me", EN, TaskKind.HOMEWORK, "hint"),
        ("what grade did Anna get", EN, TaskKind.OTHERS, "other people"),
        ("how is the weather today", EN, TaskKind.WEATHER, "weather"),
        ("translate good night into Thai", EN, TaskKind.TRANSLATION, "Translating"),
        ("tell me a joke", EN, TaskKind.ENTERTAINMENT, "songs"),
        ("how do i cook pasta", EN, TaskKind.ANY, "outside the course"),
        ("帮我写作业", ZH, TaskKind.HOMEWORK, "提示"),
        ("小王考了多少分", ZH, TaskKind.OTHERS, "别人"),
        ("今天天气怎么样", ZH, TaskKind.WEATHER, "天气"),
        ("把这句话翻译成日语", ZH, TaskKind.TRANSLATION, "翻译"),
        ("讲个笑话", ZH, TaskKind.ENTERTAINMENT, "笑话"),
        ("红烧肉怎么做", ZH, TaskKind.ANY, "超出了课程的范围"),
    ],
)
def test_a_task_that_is_not_the_courses_is_declined_in_one_fitting_sentence(
    question: str, language: Language, kind: TaskKind, word: str
) -> None:
    intent = replace(predicted(), other_task=0.9)
    text = CaringChitChat().reply(question, course=COURSES[language], intent=intent, language=language)
    assert task_kind(question) is kind
    assert word in text
    assert COURSES[language].name in text
    assert "[1]" not in text
    assert len(re.findall(r"[.。!！?？]", text)) == 1


@pytest.mark.parametrize("question", ["thanks, you are great", "hello"])
def test_words_of_talk_win_over_a_task_that_is_not_named(question: str) -> None:
    """So a wrong guess of the model declines nothing that nobody asked for."""
    intent = replace(predicted(), other_task=0.9)
    assert reply_kind(question, intent) is talk_kind(question, emotional=False)


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
    assert bool(CaringChitChat().comfort(text, language)) is is_upset
