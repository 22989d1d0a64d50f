"""The values that a text names: numbers, orders of growth, weekdays, and small counts in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vta.dialogue.conflict import read_values
from vta.text import stem

Values = Mapping[str, frozenset[str]]
"""Values by their kind, or counts by what is counted."""

_ORDER_OF_GROWTH = re.compile(r"o ?\(((?:[^()]|\([^()]*\))*)\)")
_NAMED_GROWTH = {
    "1": re.compile(r"\bconstant[- ]time\b|常数时间|常数级"),
    "n": re.compile(r"\blinear[- ]time\b|线性时间"),
    "logn": re.compile(r"\blogarithmic[- ]time\b|对数时间"),
    "n2": re.compile(r"\bquadratic[- ]time\b|平方时间"),
}
_NO_SIGN = re.compile(r"[\\^{}$*·\s]|cdot")
_NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?!\d)|(?<![a-z_\d.^])\d+(?:[.:]\d+)*(?![\d.]*[a-z])")
_HAN_PERCENT = re.compile(r"百分之([一二三四五六七八九]?)(十?)([一二三四五六七八九]?)")
_MAY_NAME_A_DAY = re.compile(r"day|周|星期|礼拜")
_DIGITS = "零一二三四五六七八九"
_COUNTED = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten) ([a-z]+)|"
    r"([一两二三四五六七八九十])([端个条层步遍次天]\w?)"
)


def values_of(text: str) -> Values:
    """The values of a normalised text by kind: numbers and times, orders of growth, weekdays."""
    growth = {_NO_SIGN.sub("", found) for found in _ORDER_OF_GROWTH.findall(text)}
    growth |= {name for name, pattern in _NAMED_GROWTH.items() if pattern.search(text)}
    plain = _ORDER_OF_GROWTH.sub(" ", text)
    numbers = {found.replace(",", "") for found in _NUMBER.findall(plain)}
    numbers |= {_from_han(*found) for found in _HAN_PERCENT.findall(plain)}
    weekdays = read_values(text).get("weekday", set()) if _MAY_NAME_A_DAY.search(text) else set[str]()
    by_kind = {"number": numbers - {""}, "growth": growth, "weekday": weekdays}
    return {kind: frozenset(values) for kind, values in by_kind.items() if values}


def _from_han(tens: str, ten: str, ones: str) -> str:
    """The number of "百分之六十" is 60."""
    if not ten:
        return str(_DIGITS.index(tens or ones)) if tens or ones else ""
    return str(10 * (_DIGITS.index(tens) if tens else 1) + (_DIGITS.index(ones) if ones else 0))


def without_values(text: str) -> str:
    """A normalised text without its numbers and orders of growth."""
    for pattern in (_ORDER_OF_GROWTH, _HAN_PERCENT, _NUMBER):
        text = pattern.sub(" ", text)
    return text


def counts_of(text: str) -> Values:
    """Small counts in words by what they count: "two ends" and "一端"."""
    found: dict[str, set[str]] = {}
    for word, thing, han, counted in _COUNTED.findall(text):
        found.setdefault(stem(thing) or counted, set()).add(word or han)
    return {thing: frozenset(counts) for thing, counts in found.items()}


def as_words(values: Values) -> frozenset[str]:
    """Values as words, so that they count among the words of a claim."""
    return frozenset(f"{kind}:{value}" for kind, each in values.items() for value in each)
