"""Finds the sentence that defines a name, by the plain patterns of Chinese and English definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

MAX_DEFINITION = 300
"""Characters; a longer sentence says more than what the thing is."""

_MARKUP = re.compile(r"<[^<>]*>|\*+|`+|(?<!\w)_+|_+(?!\w)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS = frozenset("<*`_[")
# A line break ends nothing here, unlike in `vta.dialogue.sentences`: definitions are wrapped over lines.
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*+>]|\d+[.)、])\s)")
_OPEN, _CLOSE = "[\"'“‘「『]?", "[\"'”’」』]?"
_GLOSS = r"(?:\s*[(（][^()（）]{1,60}[)）])?"
_CHINESE_COPULA = r"(?:，|,)?\s*(?:就是|是指|指的是|指|是)(?!否|不|什么|怎|如何|因为|为了|由于|我们)"
_ENGLISH_COPULA = r",?\s+(?:(?:is|are)\s+(?:an?|the|one\s+of|defined\s+as)|refers?\s+to|means)\b"

COPULA = rf"(?:\s*{_CHINESE_COPULA}|{_ENGLISH_COPULA})"
"""What follows a name in a sentence that says what it is, as a pattern."""


@lru_cache(maxsize=4096)
def defining_pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Matches the start of a sentence that defines one of the names.

    Chinese: "X是…", "X（…）是…", "所谓X…", "X指…". English: "(A) X is a…", "X refers to…", "X means…".
    """
    name = "|".join(
        re.escape(each).replace(r"\ ", r"\s+") for each in sorted(names, key=lambda each: (-len(each), each))
    )
    subject = rf"{_OPEN}(?:{name}){_CLOSE}{_GLOSS}"
    return re.compile(
        rf"(?:所谓的?)?{subject}\s*{_CHINESE_COPULA}|(?:(?:an?|the)\s+)?{subject}{_ENGLISH_COPULA}",
        re.IGNORECASE,
    )


def names_any(names: Iterable[str], text: str) -> bool:
    """Whether one of the names may stand in the text; without one, no pattern of theirs need be made."""
    folded = _folded_text(text)
    return any(_folded(name) in folded for name in names)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text without markup, each on one line."""
    for sentence in _SENTENCE_END.split(_plain(text)):
        if candidate := " ".join(sentence.split()):
            yield candidate


def find_definition(pattern: re.Pattern[str], text: str) -> str:
    """The first sentence of the text that the pattern accepts, without markup; "" where there is none."""
    return next((each for each in sentences(text) if defines(pattern, each)), "")


def defines(pattern: re.Pattern[str], sentence: str) -> bool:
    """Whether a sentence is a definition by the pattern: not too long, and no question."""
    if len(sentence) > MAX_DEFINITION or sentence.endswith(("?", "？")):
        return False
    return bool(pattern.match(sentence))


@lru_cache(maxsize=8)  # one text is asked for the names of all headings above it
def _folded_text(text: str) -> str:
    return "".join(_plain(text).split()).casefold()


@lru_cache(maxsize=4096)
def _folded(name: str) -> str:
    return "".join(name.split()).casefold()


@lru_cache(maxsize=8)
def _plain(text: str) -> str:
    """The text without Markdown; most has none, which is quick to see."""
    if _MARKS.isdisjoint(text):
        return text
    return _MARKUP.sub("", _LINK.sub(r"\1", text))
