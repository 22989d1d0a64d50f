"""What a question wants of the last answer ("why?"), or of the place where the student is ("这里")."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from vta.kinds import Kind, kinds_of
from vta.text import normalise
from vta.types import Language, Scope, Wish

_APOSTROPHES = re.compile(r"['’‘`]")
_MEANING = frozenset("用行做种长样列出发贴写举换中里上下别点段")
_PUNCTUATION = re.compile(r"[，。？！、；：…～,.?!;:~\"“”()（）《》-]+")


@dataclass(frozen=True, slots=True)
class WordTable:
    """The cues by name, in the order in which they count, and every word that may stand beside them."""

    cues: Mapping[str, re.Pattern[str]]
    allowed: re.Pattern[str]

    def rest(self, plain: str) -> str:
        """The one run of words that are none of the table's; empty where there is none or several.

        A Chinese character with a meaning of its own may stand in a longer word: 用 of 边际效用 stays.
        """
        left = self.allowed.sub(lambda word: word.group() if word.group() in _MEANING else "  ", plain)
        runs = re.split(r"\s{2,}", left.strip())
        return runs[0] if len(runs) == 1 else ""

    def find(self, plain: str) -> str | None:
        """The first cue of a text in which nothing stands but cues and fillers; else None."""
        if self.allowed.sub(" ", plain).strip():
            return None
        return next((name for name, pattern in self.cues.items() if pattern.search(plain)), None)


def plain_words(question: str) -> str:
    """The normalised text without apostrophes and punctuation."""
    return _PUNCTUATION.sub(" ", _APOSTROPHES.sub("", normalise(question))).strip()


@cache
def word_table(name: str, language: Language, *, beside: str | None = None) -> WordTable:
    """The table of a file; the words of the file `beside` may stand in its questions too."""
    cues, words = _read(name, language)
    more = _read(beside, language)[1] if beside else ()
    return WordTable({each: _any_of(listed) for each, listed in cues.items()}, _any_of((*words, *more)))


def _read(name: str, language: Language) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """The cues of a file, and all its words."""
    text = files("vta.dialogue").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[language.value]
    fillers = table.pop("fillers").split()
    return table, (*fillers, *(word for listed in table.values() for word in listed))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Matches one of the words, longer ones first; Latin ones only as whole words."""
    longest = sorted(map(re.escape, set(words)), key=len, reverse=True)
    whole = r"(?<![a-z0-9]){}(?![a-z0-9])"
    return re.compile("|".join(whole.format(word) if word[0].isascii() else word for word in longest))


_LONGEST = 60
"""Characters; a longer question says something of its own."""
_DEFINES = re.compile(r"^什么是|^what (?:is|are) an? ")
_NOT_UNDERSTOOD = re.compile(
    r"[不没](?:\w{0,3})(?:懂|明白|理解|会)|"
    r"(?:dont|didnt|cant|cannot|not) (?:\w+ )?(?:get|understand|follow)\b|"
    r"\blike im\b|\b(?:simple|easy|plain) (?:terms|words|english)\b|\beli ?5\b"
)
_OF_AN_ANSWER = re.compile(
    r"^第|(?:步|推导|证明|题|解释)$|\b(?:first|second|third|explanation|reasoning|proof|derivation|idea)\b"
)


class Operation(StrEnum):
    """One thing to be done with the last answer."""

    WHY = "why"
    EXAMPLE = "example"
    CODE = "code"
    FORMULA = "formula"
    WHERE = "where"
    SHORTER = "shorter"
    SIMPLER = "simpler"
    MORE = "more"

    @property
    def wish(self) -> Wish:
        """How the answer to it is wanted."""
        kinds = frozenset({_KINDS[self]}) if self in _KINDS else frozenset()
        return Wish(kinds=kinds, shorter=self is Operation.SHORTER, simpler=self is Operation.SIMPLER)


_KINDS = {
    Operation.WHY: Kind.REASON,
    Operation.EXAMPLE: Kind.EXAMPLE,
    Operation.CODE: Kind.CODE,
    Operation.FORMULA: Kind.FORMULA,
    Operation.WHERE: Kind.PLACE,
}


def find_operation(question: str, language: Language) -> Operation | None:
    """What the question wants done with the last answer; None where it says anything of its own."""
    plain = plain_words(question)
    if len(plain) > _LONGEST or _DEFINES.match(plain):
        return None
    found = word_table("operations", language).find(plain)
    return None if found is None else Operation(found)


def named_for_help(question: str, names: Sequence[str], language: Language) -> tuple[str, ...]:
    """What a call for help is about, where it says nothing else: "I don't get recursion"; else nothing.

    `names` are those that the question is known to name, as it writes them; without any it is its only words
    of their own.
    """
    plain, table = plain_words(question), word_table("operations", language)
    if kinds_of(question) or not (names or _NOT_UNDERSTOOD.search(plain)):
        return ()
    found = tuple(names) or (table.rest(plain),)
    if not names and _OF_AN_ANSWER.search(found[0]):
        return ()
    for name in sorted(map(plain_words, found), key=len, reverse=True):
        plain = plain.replace(name, " ")
    return found if found[0] and len(plain) <= _LONGEST and table.find(plain) == Operation.SIMPLER else ()


def find_scope(question: str, language: Language) -> Scope | None:
    """How much of the place where the student is a question is about; None for any other question."""
    plain = plain_words(question)
    if len(plain) > _LONGEST:
        return None
    found = word_table("here", language, beside="operations").find(plain)
    return None if found is None else Scope(found)
