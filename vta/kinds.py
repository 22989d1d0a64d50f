"""What kind of thing a question asks for: a reason, an example, code and so on, by its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from vta.text import normalise


class Kind(StrEnum):
    """One kind of thing that a question can ask for."""

    REASON = "reason"
    DIFFERENCE = "difference"
    PLACE = "place"
    TIME = "time"
    PERSON = "person"
    AMOUNT = "amount"
    MANNER = "manner"
    MEMBERS = "members"
    EXAMPLE = "example"
    CODE = "code"
    FORMULA = "formula"
    USE = "use"
    DEFINITION = "definition"


_WORDS = {
    Kind.REASON: r"为什么|为何|为啥|咋会|怎么会|原因|\bwhy\b|\breasons?\b|\bhow come\b",
    Kind.DIFFERENCE: r"区别|不同|差别|差异|异同|区分|对比|比较|相比|"
    r"还是(?!很|太|有点|不|没)|[哪那]个(?:好|快|更)|[用选]哪个|"
    r"\bdiff(?!icult|us|ract)\w*\b|\bversus\b|\bvs\b|\bcompar\w+\b|\bdistinguish\b|\bcontrast\b|"
    r"\bwhich (?:one )?(?:should|is (?:better|faster))\b|\bor\b.*\bwhich\b|\bwhich\b.*\bor\b",
    Kind.PLACE: r"(?<!用在)哪[里儿]|(?<!用)在哪|何处|哪一(?:讲|节|章|课|集)|"
    r"\bwhere\b|\bwhich (?:lecture|video|chapter|section|page)\b",
    Kind.TIME: r"什么时候|啥时候|何时|几点|时间(?!复杂)|多久|日期|截止|"
    r"\bwhen\b|\bhow long\b|\bdeadlines?\b|\bdue\b|\bdates?\b",
    Kind.PERSON: r"谁|\bwho(?:m|se)?\b",
    Kind.AMOUNT: r"多少|多大|几(?:个|次|天|种|位|遍|分|层|[?？。]?$)|\bhow (?:many|much|often|big|large)\b",
    Kind.MANNER: r"怎么(?!样|会|办到)|如何|怎样|咋(?!会)|方法|步骤|"
    r"\bhow (?!many|much|often|long|come|big|large)",
    Kind.MEMBERS: r"(?:有|包括|包含|分为|分成|属于)[^，。？?]{0,6}(?:哪些|哪几)|"
    r"哪些(?:算法|方法|结构|排序|模型)|\b(?:kinds|types|sorts|list) of\b|\bwhich \w+ (?:\w+ )?are\b|"
    r"\bwhat are (?:all|some|the (?:main|different))\b",
    Kind.EXAMPLE: r"例子|举(?:个)?例|比如|\bexamples?\b|\bfor instance\b|\be\.?g\b",
    Kind.CODE: r"代码|源码|程序(?:怎么)?写|用\s*(?:python|java|c\+\+)|"
    r"\bcode\b|\bsnippets?\b|\bin (?:python|pytorch|java)\b",
    Kind.FORMULA: r"公式|表达式|\bformulas?\b|\bformulae\b|\bequations?\b",
    Kind.USE: r"有(?:什么|啥)用|用途|用处|用来(?:干|做)|应用(?:场景)?|用(?:在|于)(?:哪|什么|啥)|"
    r"\bused? for\b|\buse cases?\b|\bapplications?\b|\bpurpose\b",
    Kind.DEFINITION: r"什么是|是什么|是啥|啥是|什么叫|何谓|定义|什么意思|啥意思|含义|概念|"
    r"\bwhat(?:'?s| is| are| was| were| does| do)\b|\bdefin\w+|\bmean(?:s|ing)?\b",
}
_PREREQUISITES = re.compile(
    r"先(?:学|修|看|掌握|了解|会)(?:什么|哪些|啥)|前置|先修|\bprerequisites?\b|"
    r"\bwhat\b.*\b(?:study|learn|know|read|understand)\b.*\b(?:before|first)\b"
)
_CLAUSE = re.compile(r"\band\b|[,，;；。?？]")
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _WORDS.items()}


@lru_cache(maxsize=10_000)
def kinds_of(question: str) -> frozenset[Kind]:
    """The kinds that the words of a question speak of; empty where they name none, as in "can I ...?".

    "What is the difference ...?" asks for the difference, not for a definition; "what is dropout and why does
    it help" asks for both.
    """
    plain = normalise(question)
    found = _named_in(plain)
    alone = any(_named_in(clause) == {Kind.DEFINITION} for clause in _CLAUSE.split(plain))
    return frozenset(found if alone else found - {Kind.DEFINITION} or found)


def _named_in(plain: str) -> set[Kind]:
    return {kind for kind, pattern in _PATTERNS.items() if pattern.search(plain)}


def asks_alike(question: str, wordings: Iterable[str]) -> bool:
    """Whether a question may ask for the same kind of thing as one of the wordings of another.

    "How do I avoid overfitting?" and "What is overfitting?" share all their content words and do not. Where
    either names no kind, nothing speaks against it.
    """
    asked = kinds_of(question)
    return not asked or any(not kinds or kinds & asked for kinds in map(kinds_of, wordings))


def asks_prerequisites(question: str) -> bool:
    """Whether a question asks what should be known before something."""
    return _PREREQUISITES.search(normalise(question)) is not None


def asks_definition(question: str) -> bool:
    """Whether a question asks for nothing but what something is, judging by its words."""
    return kinds_of(question) <= {Kind.DEFINITION}
