"""Words by which a student asks for help, whatever the mood around them, and words of mere courtesy."""

from __future__ import annotations

import re

from vta.text import normalise

_ASKS = re.compile(
    # not understanding, not following, being stuck
    r"没(?:怎么|太|有)?(?:听|看|弄|搞|学|整|理解)?(?:懂|明白|清楚|跟上)|没(?:有)?(?:思路|头绪)|"
    r"不(?:太|大|是很|怎么)?(?:懂|明白|理解|会做|会写|会算|会用|清楚)(?!事)|还不会|"
    r"(?:听|看|搞|弄|读|学|跟|理|分|做|解|写|算|推|记|编译|跑|运行|打|加载)不(?:懂|明白|会|清|上|出|来|通|"
    r"开|过|了)(?!你)|"
    r"懵|一头雾水|云里雾里|(?:搞|弄)混|卡(?:住|在)|报错|快挂了|"
    r"\b(?:don'?t|do not|didn'?t|can'?t|cannot|couldn'?t|not sure (?:i|we)) (?:really |quite |even |just )?"
    r"(?:get|understand|follow|see (?:how|why|what|where)|figure out|solve|know (?:how to|what to|"
    r"where to))\b|"
    r"\bstuck (?:on|at|with|in)\b|\blost (?:me |in|with|at|after|on)|"
    r"\b(?:i'?m|i am) (?:so |completely |totally )?(?:lost|stuck|confused)\b|"
    r"\bstruggl(?:e|ing) with\b|\bmakes no sense\b|\bno (?:clue|idea) (?:how|what|where|why)\b|"
    r"\bnothing works\b|"
    r"\b(?:still |it |code |program |always )(?:crashes|fails|says|prints)\b|\bi tried everything\b|"
    # asking for an explanation, a hint, a check
    r"(?:求|给|来)(?:个|点|些|我)?(?:助|解|提示|思路|讲解)|(?:再|帮我|能|可以|请|给我).{0,8}(?:讲(?!个|"
    r"笑话|故事|英语|中文)|解释|推(?!荐)|说明)|"
    r"简单(?:一)?点|通俗|大白话|怎么(?:理解|做|写|算|学|推|证|解决|改|回事)|(?:是|有)(?:啥|什么)(?:意思|"
    r"用|区别)|"
    r"到底(?:是)?(?:什么|啥|怎么|考)|哪里(?:做|写|算)?错|(?:思路|答案|这样|做得?)对(?:吗|不对)|哪来的|会怎么?样|分别(?:是)?干(?:嘛|什么)|"
    r"怎么来的|"
    r"(?:有谁|哪位|谁能).{0,8}(?:告诉|讲|教|帮)|\b(?:can|could) (?:some|any)(?:one|body) (?:tell|explain|"
    r"show|help)\b|"
    r"\bexplain\b|\b(?:a|any|some) (?:hint|clue|tip)s?\b|\bhint\b|\bwalk me through\b|\bstep by step\b|"
    r"\bhelp(?: me)? (?:with|understand)\b|"
    r"\b(?:help|help me),? please\b|^help\b|\bwhere did i go wrong\b|\bwhat (?:am|did) i (?:do|"
    r"doing) wrong\b|"
    r"推荐.{0,6}(?:教材|参考书|资料|的书|本书)|\brecommend\b.{0,20}\b(?:books?|textbooks?|readings?|resources?)\b|"
    r"\bwhat (?:exactly |even )?(?:is|are|does) (?:a|an|the) \w+ (?:good for|mean)\b|\bcan(?:'t|"
    r" not)? .{0,20}simpler\b"
)
_OF_THE_ASSISTANT = re.compile(
    r"你.{0,4}(?:懂|明白|会|理解)|\byou (?:don'?t|do not|can'?t|didn'?t|never|are|really)\b"
)
"""That the assistant does not understand is a remark on it, no call for help."""


def asks_for_help(text: str) -> bool:
    """Whether the words ask for help, an explanation or a check."""
    plain = normalise(text)
    return _ASKS.search(plain) is not None and _OF_THE_ASSISTANT.search(plain) is None


_OF_COURSE = re.compile(
    r"作业|(?<![思参])考(?![虑古拉])|测验|期末|成绩|分数|答案|挂科|重修|学分|证书|课|[这本]章|讲义|老师|助教|题|"
    r"\b(?:assignments?|homework|exams?|midterm|quiz(?:zes)?|grades?|certificates?|course|lectures?|class|"
    r"my code|deadline|professor|syllabus|slides?)\b"
)


def concerns_course(text: str) -> bool:
    """Whether the words ask for help, or name what a course is made of: homework, exams, lectures."""
    return _OF_COURSE.search(normalise(text)) is not None or asks_for_help(text)


_COURTESY = re.compile(
    r"(?:[\W_]*(?:(?:thanks?|thx|tysm|ty|cheers|hello|hi|hey|bye|ok|so much|a lot|you|u|very much|"
    r"ni ?hao|xie ?xie|zai ?jian)(?![a-z])|"
    r"谢谢|谢啦|多谢|感谢|你好|您好|再见|拜拜|晚安|老师|助教|你|啦|了|啊|呀))+[\W_]*"
)


def is_courtesy(text: str) -> bool:
    """Whether nothing but thanks, a greeting or a farewell is said."""
    return _COURTESY.fullmatch(normalise(text)) is not None
