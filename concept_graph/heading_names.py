"""Which headings name a concept, and which only order the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import rjieba

from concept_graph.word_files import read_words
from vta.headings import is_furniture, without_numbering
from vta.text import HAN, normalise
from vta.types import Language

MAX_HAN_CHARACTERS = 12
MAX_ENGLISH_WORDS = 4

_MARKUP = re.compile(r"<[^<>]*>|[*`~]+|^#+\s*")
_BRACKETED = re.compile(r"(.+?)\s*[(（]([^()（）]+)[)）]\s*")
_HAN = re.compile(rf"[{HAN}]")
_NOUN_LIKE = re.compile(r"[\w+#/.'’·\- ]+")


@dataclass(frozen=True, slots=True)
class HeadingName:
    """The concept a heading names; aliases are what stood in brackets after it."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Words:
    generic: frozenset[str]
    joining: frozenset[str]
    opening: frozenset[str]
    closing: frozenset[str]


@lru_cache(maxsize=4096)
def heading_name(heading: str) -> HeadingName | None:
    """The concept that a heading names, or None for a question, a sentence or a generic heading."""
    plain = without_numbering(_MARKUP.sub("", heading).strip())
    bracketed = _BRACKETED.fullmatch(plain)
    if bracketed is None:
        return HeadingName(plain) if _is_name(plain) else None
    name, alias = (part.strip() for part in bracketed.groups())
    if not _is_name(name):
        return None
    other_script = bool(_HAN.search(name)) != bool(_HAN.search(alias))
    is_alias = (other_script or alias.isupper()) and _is_name(alias)
    return HeadingName(name, (alias,) if is_alias else ())


def _is_name(text: str) -> bool:
    plain = normalise(text)
    if not _NOUN_LIKE.fullmatch(plain) or "_" in plain or not any(map(str.isalpha, plain)):
        return False
    chinese = bool(_HAN.search(plain))
    if chinese and len(plain.replace(" ", "")) > MAX_HAN_CHARACTERS:
        return False
    if not chinese and (len(plain) < 2 or len(plain.split()) > MAX_ENGLISH_WORDS):
        return False
    words = [word for word in rjieba.cut(plain, False) if word.strip()] if chinese else plain.split()
    known = _words(Language.ZH if chinese else Language.EN)
    if plain in known.generic or is_furniture(plain) or not known.joining.isdisjoint(words):
        return False
    return len(words) == 1 or not (words[0] in known.opening or words[-1] in known.closing)


@cache
def _words(language: Language) -> _Words:
    lists = read_words(f"headings_{language}")
    return _Words(**{kind: frozenset(words) for kind, words in lists.items()})
