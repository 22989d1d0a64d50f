"""The units of a passage, each of which is quoted whole or not at all.

A code block, a display formula, a table and a list are one unit each; prose is made of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from vta.kinds import Kind
from vta.patterns import read_patterns


class UnitKind(StrEnum):
    """The kind of a unit."""

    SENTENCE = "sentence"
    CODE = "code"
    FORMULA = "formula"
    TABLE = "table"
    LIST = "list"


_LONGEST_OF_LINES = 80
"""Characters; lines that the author broke and that are short are read together, as an entry in a journal."""
_ITEM = r"(?:[-*+]\s|\d{1,3}(?:[.)]\s|、))"
_LAZY = rf"(?:\n(?!\s|{_ITEM}|[#>|$]|[`~]{{3}}|\\[\[b]).+)"
"""A line that goes on with the item above it without being indented (CommonMark)."""
_UNITS = {
    UnitKind.CODE: re.compile(
        r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
    ),
    UnitKind.FORMULA: re.compile(
        r"\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(equation|align)\*?\}.+?\\end\{\1\*?\}", re.DOTALL
    ),
    UnitKind.TABLE: re.compile(r"^\|.+\|[ \t]*$(?:\n^\|.*\|[ \t]*$)+", re.MULTILINE),
    UnitKind.LIST: re.compile(
        rf"^ {{0,3}}{_ITEM}.+(?:{_LAZY}*\n{{1,2}}(?: {{2,}}[^ \n]| {{0,3}}{_ITEM}).*)+{_LAZY}*"
        rf"|^(?! {{0,3}}{_ITEM})(?:[^\n|]{{1,{_LONGEST_OF_LINES}}} {{2}}\n)+[^\n]{{1,{_LONGEST_OF_LINES}}}$",
        re.MULTILINE,
    ),
}
_PATTERNS = read_patterns("vta", "words/units.toml", flags=re.IGNORECASE | re.MULTILINE)
_OWN_UNITS = {
    Kind.CODE: (UnitKind.CODE,),
    Kind.FORMULA: (UnitKind.FORMULA,),
    Kind.MANNER: (UnitKind.LIST,),
    Kind.MEMBERS: (UnitKind.LIST, UnitKind.TABLE),
    Kind.DIFFERENCE: (UnitKind.TABLE,),
}


def holds(kind: UnitKind, passage: str) -> bool:
    """Whether a passage has a unit of this kind."""
    return kind is UnitKind.SENTENCE or _UNITS[kind].search(passage) is not None


def own_units(kind: Kind) -> tuple[UnitKind, ...]:
    """The units that are made for this kind: code blocks, display formulas; for most none."""
    return _OWN_UNITS.get(kind, ())


def has_own_unit(kind: Kind, passage: str) -> bool:
    """Whether a passage has a unit that is made for this kind."""
    return any(holds(unit, passage) for unit in own_units(kind))


def has_date(text: str) -> bool:
    """Whether a text names a day, an hour or a length of time."""
    return _PATTERNS["date"].search(text) is not None


@lru_cache(maxsize=8_192)  # many questions find the same passages
def gives(kind: Kind, passage: str) -> bool:
    """Whether a passage looks like it gives a thing of this kind: a reason, an example, code and so on.

    A kind that no words tell, as a person or a place, every passage may give.
    """
    if has_own_unit(kind, passage):
        return True
    if kind is Kind.TIME and has_date(passage):
        return True
    return kind not in _PATTERNS or _PATTERNS[kind].search(passage) is not None


def split_units(passage: str) -> Iterator[tuple[UnitKind, str]]:
    """The units of a Markdown passage in order; prose between two others comes as one piece, unsplit."""
    start = 0
    while start < len(passage):
        found = [(m.start(), kind, m) for kind, p in _UNITS.items() if (m := p.search(passage, start))]
        if not found:
            break
        at, kind, match = min(found, key=lambda each: each[0])
        if passage[start:at].strip():
            yield UnitKind.SENTENCE, passage[start:at]
        yield kind, match.group()
        start = match.end()
    if passage[start:].strip():
        yield UnitKind.SENTENCE, passage[start:]
