"""What kind of thing a question asks for: a reason, a place, a definition and so on, by its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from vta.text import normalise

_KINDS = {
    "reason": r"为什么|为何|为啥|原因|\bwhy\b|\breasons?\b",
    "difference": r"区别|不同|差别|差异|\bdiffer(?:s|ence|ences|ent)?\b|\bversus\b|\bvs\b|\bcompared?\b",
    "place": r"哪里|哪儿|在哪|何处|\bwhere\b",
    "time": r"什么时候|何时|几点|时间|多久|日期|截止|\bwhen\b|\bhow long\b|\bdeadlines?\b|\bdue\b|\bdates?\b",
    "person": r"谁|\bwho(?:m|se)?\b",
    "amount": r"多少|几(?:个|次|天|种|位|遍|分)|\bhow (?:many|much|often)\b",
    "manner": r"怎么(?!样)|如何|怎样|方法|步骤|\bhow (?!many|much|often|long)",
    "definition": r"什么是|是什么|什么叫|何谓|定义|什么意思|含义|概念|"
    r"\bwhat(?:'s| is| are| was| were| does| do)\b|\bdefin\w+|\bmean(?:s|ing)?\b",
}
_DEFINITION = "definition"
_PATTERNS = {kind: re.compile(pattern) for kind, pattern in _KINDS.items()}


@lru_cache(maxsize=10_000)
def kinds_of(question: str) -> frozenset[str]:
    """The kinds that the words of a question speak of; empty where they name none, as in "can I ...?".

    "What is the difference ...?" asks for the difference, not for a definition.
    """
    plain = normalise(question)
    found = {kind for kind, pattern in _PATTERNS.items() if pattern.search(plain)}
    return frozenset(found - {_DEFINITION} or found)


def asks_alike(question: str, wordings: Iterable[str]) -> bool:
    """Whether a question may ask for the same kind of thing as one of the wordings of another.

    "How do I avoid overfitting?" and "What is overfitting?" share all their content words and do not. Where
    either names no kind, nothing speaks against it.
    """
    asked = kinds_of(question)
    return not asked or any(not kinds or kinds & asked for kinds in map(kinds_of, wordings))


def asks_definition(question: str) -> bool:
    """Whether a question asks for nothing but what something is, judging by its words."""
    return kinds_of(question) <= {_DEFINITION}
