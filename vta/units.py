"""The units of a passage: what is quoted whole or not at all.

A code block, a display formula, a table and a list are one unit each; prose is made of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import lru_cache

from vta.kinds import Kind


class UnitKind(StrEnum):
    """What a unit is made of."""

    SENTENCE = "sentence"
    CODE = "code"
    FORMULA = "formula"
    TABLE = "table"
    LIST = "list"


_LINKED_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s.*(?:\]\(|https?://)")
_LONGEST_OF_LINES = 80
"""Characters; lines that the author broke and that are short are read together, as an entry in a journal."""
_ITEM = r"(?:[-*+]\s|\d{1,3}(?:[.)]\s|、))"
_UNITS = {
    UnitKind.CODE: re.compile(
        r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
    ),
    UnitKind.FORMULA: re.compile(
        r"\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(equation|align)\*?\}.+?\\end\{\1\*?\}", re.DOTALL
    ),
    UnitKind.TABLE: re.compile(r"^\|.+\|[ \t]*$(?:\n^\|.*\|[ \t]*$)+", re.MULTILINE),
    UnitKind.LIST: re.compile(
        rf"^ {{0,3}}{_ITEM}.+(?:\n{{1,2}}(?: {{2,}}[^ \n]| {{0,3}}{_ITEM}).*)+"
        rf"|^(?! {{0,3}}{_ITEM})(?:[^\n|]{{1,{_LONGEST_OF_LINES}}} {{2}}\n)+[^\n]{{1,{_LONGEST_OF_LINES}}}$",
        re.MULTILINE,
    ),
}
_EXAMPLE = (
    r"例如|比如|例子|举例|譬如|假设|想象|好比|就像|^例[：:]|\bfor (?:example|instance)\b|\be\.g\.|"
    r"\bsuppose\b|\bimagine\b|\bconsider\b|\bthink of\b|"
    r"\b(?:an?|the|this|our|another|worked|running) (?:[\w-]+ )?example\b"
)
_DATE = (
    r"[\d一二两三四五六七八九十]\s*(?:天|小时|分钟|周|个?月|日|点)|"
    r"\d:\d\d\b|\b\d{1,2}/\d{1,2}\b|\d ?[ap]\.?m\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    r"\b(?:january|february|march|april|june|july|august|september|october|november|december)\b|"
    r"\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|each|every|per|last|first)[ -]"
    r"(?:day|hour|minute|week|month)s?\b"
)
_GIVEN = {
    Kind.REASON: r"因为|由于|因此|所以|原因|否则|才能|这样|"
    r"\bbecause\b|\bsince\b|\bso(?: that)?\b|\btherefore\b|\bdue to\b|\botherwise\b|\breasons?\b|\bhence\b",
    Kind.DIFFERENCE: r"而|相比|不同|区别|比.{1,20}(?:更|快|慢|好|省)|"
    r"\bwhile\b|\bwhereas\b|\bunlike\b|\bthan\b|\bdiffer|\binstead\b",
    Kind.TIME: rf"{_DATE}|截止|当.{{1,30}}时|\b(?:day|hour|minute|week|month|deadline)s?\b|\bwhen\b|\bif\b",
    Kind.MEMBERS: r"、[^。]{1,20}[、和]|包括|分为|分成|分别|"
    r"\bsuch as\b|\bincludes?\b|\bnamely\b|\bkinds\b|\btypes\b|,[^.]{1,40},? and\b",
    Kind.AMOUNT: r"\d|[一二两三四五六七八九十百千]\s*[个次天种位遍分层倍]|"
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once|hundreds?|thousands?)\b",
    Kind.MANNER: r"先.{1,40}再|然后|步骤|依次|只要|可以(?:用|把)|"
    r"\bfirst\b|\bthen\b|\bsteps?\b|\bby \w+ing\b|^(?:use|try|take|choose|set|compute|add|split)\b",
    Kind.EXAMPLE: _EXAMPLE,
    Kind.CODE: r"`[^`\n]+`",
    Kind.FORMULA: r"\$[^$\n]*=[^$\n]*\$",
    Kind.USE: r"用于|用来|用在|应用|用途|适合|常用|"
    r"\bused? (?:for|to|in|as|when)\b|\bapplications?\b|\buseful\b|\bhelps?\b",
    Kind.DEFINITION: r"是(?!否|不是)|指的?是?|称为|叫作|叫做|"
    r"\b(?:is|are|means?|refers? to|denotes?|called|known as)\b",
}
_SAYS_WHAT = re.compile(
    r"，?(?:也?就?是指?|指的?是?|(?:被|又|也)?称为|又叫|叫作?|通过|把|在|将|用|描述|表示)|"
    r"(?:\w+ly\s)?(?:is|are|means?|refers? to|denotes?|describes?|maps?|computes?|measures?)\b"
    r"(?! (?:just|also|not|called|often|usually|always|never|more|less|faster|slower|better|worse|too)\b)",
    re.IGNORECASE,
)
_GIVES = {kind: re.compile(pattern, re.IGNORECASE | re.MULTILINE) for kind, pattern in _GIVEN.items()}
_NAMES_DATE = re.compile(_DATE, re.IGNORECASE)
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


@lru_cache(maxsize=8_192)  # many questions find the same passages
def gives(kind: Kind, passage: str) -> bool:
    """Whether a passage looks like it gives a thing of this kind: a reason, an example, code and so on.

    A kind that no words tell, as a person or a place, every passage may give.
    """
    if has_own_unit(kind, passage):
        return True
    return kind not in _GIVES or _GIVES[kind].search(passage) is not None


def names_amount(kind: Kind, sentence: str) -> bool:
    """Whether a sentence names what "when" asks for, a date or a span of time, or else a number."""
    pattern = _NAMES_DATE if kind is Kind.TIME else _GIVES[Kind.AMOUNT]
    return pattern.search(sentence) is not None


def lists_links(passage: str) -> bool:
    """Whether most lines of a Markdown passage are items with a link: further reading, not teaching."""
    lines = [line for line in passage.splitlines() if line.strip()]
    return 2 * sum(_LINKED_ITEM.match(line) is not None for line in lines) > len(lines)


def defines(names: Iterable[str], sentence: str) -> bool:
    """Whether a sentence begins with one of the names and says what it is: "A stack (LIFO) is a list"."""
    rest = _after_name(names, sentence)
    return rest is not None and _SAYS_WHAT.match(rest) is not None


def _after_name(names: Iterable[str], sentence: str) -> str | None:
    """What follows the longest of the names that the sentence begins with."""
    name = "|".join(map(re.escape, sorted(names, key=lambda each: (-len(each), each))))
    plain = re.sub(r"[*_`“”\"]", "", sentence)
    opening = re.match(
        rf"(?:(?:an?|the|所谓)\s*)?(?:{name})(?:s|es)?\s*(?:[(（][^)）]{{1,60}}[)）])?\s*",
        plain,
        re.IGNORECASE,
    )
    return plain[opening.end() :] if opening else None


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
