"""Headings without their numbers, and those that order a document and say nothing about its subject."""

from __future__ import annotations

import re
from functools import cache

from vta.patterns import read_table
from vta.text import normalise

_NUMERAL = "0-9一二三四五六七八九十百"
_NUMBERING = re.compile(
    rf"""\s*(?:
        \d+(?:\.\d+)*[.、)）:：]?\s+ | \d+(?:\.\d+)*[.、)）:：](?=\D) | \d{{2,}}[-_]
      | 第\s*[{_NUMERAL}]+\s*(?:单元|部分|[章节讲课周篇])[：:、.]?\s*
      | [一二三四五六七八九十]+、 | [(（][{_NUMERAL}]+[)）]
      | (?:chapter|lecture|section|unit|week|module|part|lesson|appendix)\s+
        (?:\d+(?:\.\d+)*|[ivx]+)\b[-.:：–—\s]*
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_EXERCISES = re.compile(
    r"(?:end[- ]of[- ]chapter |chapter |section )?(?:exercises?|(?:practi[cs]e )?(?:problems|questions)|"
    r"review questions|problem sets?|self[- ]?tests?|quiz(?:zes)?|check your (?:understanding|knowledge)|"
    r"test yourself)|"
    r"(?:本章|本节|课后|巩固|复习)?(?:练习题?|习题|思考题?|复习题|自测题?|测验|小测|想一想|课后作业)"
)
_EDGES = " \t:：.。!！|·•←→‹›«»<>-–—*#¶⬅➡️"


def without_numbering(heading: str) -> str:
    """`Gradient descent` of `4.2 Gradient descent`, `第三章 栈` or `Lecture 4: ...`."""
    while found := _NUMBERING.match(heading):
        heading = heading[found.end() :]
    return heading.strip()


def is_exercises(heading: str) -> bool:
    """Whether exercises stand under a heading."""
    return _EXERCISES.fullmatch(_key(heading)) is not None


def is_contents(heading: str) -> bool:
    """Whether a heading announces a table of contents or other navigation."""
    return _key(heading) in _words()["contents"]


def is_back_matter(name: str) -> bool:
    """Whether a file of this name is about the texts of a course, as its licence is, not the subject."""
    return _key(re.sub(r"[-_]+", " ", name)) in _words()["back"]


def is_boilerplate(heading: str) -> bool:
    """Whether a heading, or the words of a link, would fit any document."""
    key = _key(heading)
    return key in _words()["furniture"] or key in _words()["contents"] or not any(map(str.isalnum, heading))


def _key(heading: str) -> str:
    return normalise(without_numbering(heading.strip(_EDGES))).strip(_EDGES)


@cache
def _words() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in read_table("vta", "words/headings.toml").items()}
