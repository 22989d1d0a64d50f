"""Questions that hold nothing but certain words: tables of cues and fillers, in the TOML files beside."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vta.text import normalise
from vta.types import Language

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
    text = files("prompts.follow_up").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)[language.value]
    fillers = table.pop("fillers").split()
    return table, (*fillers, *(word for listed in table.values() for word in listed))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Matches one of the words, longer ones first; Latin ones only as whole words."""
    longest = sorted(map(re.escape, set(words)), key=len, reverse=True)
    whole = r"(?<![a-z0-9]){}(?![a-z0-9])"
    return re.compile("|".join(whole.format(word) if word[0].isascii() else word for word in longest))
