"""What kind of task a request asks for that is not the course's, by its words."""

from __future__ import annotations

import re
from enum import StrEnum

from vta.text import normalise


class TaskKind(StrEnum):
    """The kinds of tasks that get a sentence of their own."""

    HOMEWORK = "homework"
    OTHERS = "others"
    WEATHER = "weather"
    TRANSLATION = "translation"
    ENTERTAINMENT = "entertainment"
    ANY = "task"


_KINDS = (
    (
        TaskKind.HOMEWORK,
        re.compile(
            r"作业|作文|论文|报告|代(?:做|写|考)|刷课|挂视频|(?:考试|测验|习题|题)的?答案|"
            r"\b(?:homework|home work|assignments?|essay|problem set|term paper|lab report|the (?:exam|"
            r"quiz|test))\b|"
            r"\b(?:all|give me|send me) the (?:answers|solutions)\b|\bhand (?:it|them) in\b|\bsubmit it\b"
        ),
    ),
    (
        TaskKind.OTHERS,
        re.compile(
            r"(?:同学|同桌|别人|他人|其他(?:人|学生)|老师|学生|隔壁|班里).{0,8}"
            r"(?:成绩|分数|手机|电话|微信|学号|地址|住|名单|答案|作业|挂科|考了)|(?:手机号|身份证|"
            r"微信)(?:号|是)?多少|谁考了|(?<!我)考了多少分|"
            r"\b(?:other|another|classmates?'?s?|students?'?s?|professor'?s?|teacher'?s?|girl|boy)\b.{0,24}"
            r"\b(?:grades?|scores?|answers?|submissions?|emails?|phone|address|questions)\b|"
            r"\b(?:phone number|home address)\b|\bwhat (?:grade|score|mark) did\b|\bwho (?:failed|"
            r"got the best)\b"
        ),
    ),
    (
        TaskKind.TRANSLATION,
        re.compile(
            r"翻译|翻成|译成|[英日法德韩俄]语|[英日法德韩俄]文|\btranslat|\bhow (?:do|would) (?:you|i|"
            r"they) say\b|"
            r"\b(?:in|to|into|from) (?:english|chinese|german|french|spanish|italian|japanese|korean|"
            r"russian|arabic|"
            r"hindi|portuguese|turkish|greek|polish|dutch|swedish|thai|latin|hebrew)\b"
        ),
    ),
    (
        TaskKind.WEATHER,
        re.compile(
            r"天气|下雨|下雪|带伞|几度|气温|温度|刮风|风大|晴|冷不冷|热不热|"
            r"\b(?:weather|forecast|umbrella|rain(?:ing|y)?|snow(?:ing)?|sunny|temperature|humidity|"
            r"celsius|fahrenheit)\b"
        ),
    ),
    (
        TaskKind.ENTERTAINMENT,
        re.compile(
            r"笑话|段子|故事|唱|歌|诗|猜谜|谜语|成语接龙|下棋|游戏|电影|小说|运势|算命|"
            r"\b(?:jokes?|sing|songs?|music|poem|haiku|story|tale|play|game|movie|series|horoscope)\b"
        ),
    ),
)


def task_kind(text: str) -> TaskKind:
    """The first kind whose words occur; `ANY` where none do."""
    plain = normalise(text)
    return next((kind for kind, pattern in _KINDS if pattern.search(plain)), TaskKind.ANY)
