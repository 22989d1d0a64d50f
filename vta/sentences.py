"""Where sentences end, in Chinese and English, and the prose of a Markdown text that is made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_NO_PROSE = re.compile(r"^\s*(?:#{1,6}\s|\||\$\$|[-*_]{3,}\s*$|\*?[（(]?$)")
_OPENING = re.compile(r"^\s*(?:(?:[-*+]\s|\d{1,3}(?:[.)]\s|、)|>)\s*)*")
_SHORTENED = re.compile(r"\b(?:e\.g|i\.e|vs|cf|dr|mrs?|prof|approx|[a-z]\.[a-z])\.$", re.IGNORECASE)
_INITIAL = re.compile(r"\b[A-Z][a-z]+(?: [A-Z]\.)+$")
_NAME = re.compile(
    r"(?!(?:An?|And|As|At|But|By|For|He|Here|How|However|I|If|In|Its?|Let|No|Now|On|She|So|That|The|Then|There"
    r"|These|They|This|Those|Thus|To|We|What|When|Where|Which|Why|With|Yes|You)\b)[A-Z][a-z]+"
)
_NUMBERED = re.compile(r"\b(?:fig|eq|sec|no)\.$", re.IGNORECASE)
_LABEL = re.compile(r"(?:[A-Za-z]|\d{1,3})[.．]")
_AUTHOR = re.compile(r"[A-Z][a-z]+,(?: ?[A-Z]\.)+$")
_LONGEST_ABBREVIATION = 60
"""Characters before an end that tell whether it is one: "e.g.", "Donald E. Knuth"."""
_SENTENCE = re.compile(
    r"\S(?:(?<=[.!?])[.!?]+)?+[^。．！？；.!?]*+(?:[.!?]++(?![\"”’')*]*(?:\s|$))[^。．！？；.!?]*+)*+"
    r"(?:[。．！？；]+[”’」』）)*]*|[.!?]++[\"”’')*]*)(?:\s?\[\d{1,3}\](?!\())*"
    r"|\S[\s\S]*$"
)
"""The marks within a sentence, as in 3.14, have neither white space nor the end behind them."""
_BLOCK_END = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+>|]|\d+[.)、])\s?)|(?<=\|)\s*\n| {2}\n")


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of each prose sentence in order; the citation marks behind a sentence belong to it.

    Headings, tables, code blocks and display formulas are no prose. A sentence ends with its line, and not
    with an abbreviation within it ("e.g.", "the U.S. Open", "No. 1", "Donald E. Knuth", "Knuth, D. (1974)").
    """
    return tuple(span for start, line in _prose_lines(text) for span in _split_line(start, line))


def split_sentences(text: str, *, wrapped: bool = False) -> list[str]:
    """The sentences of a text as they are written, without the white space between them.

    A sentence ends with its line; where lines are `wrapped`, with its paragraph, item or row of a table.
    """
    blocks = _BLOCK_END.split(text) if wrapped else text.split("\n")
    return [block[start:end] for block in blocks if block for start, end in _split(block)]


def sentence_ends(line: str) -> list[int]:
    """Where the sentences of a line end, semicolons left out."""
    return [end for _, end in _split(line.rstrip()) if line[end - 1] not in "；"]


def is_question(sentence: str) -> bool:
    """Whether a sentence ends with a question mark; quotation and citation marks behind it do not count."""
    return sentence.rstrip(" \"”’')）*[]0123456789").endswith(("?", "？"))


def _prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks that may hold sentences, with their offsets."""
    fence, offset = "", 0
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
        elif not _NO_PROSE.match(line):
            yield offset, line.rstrip("\r\n")
        offset += len(line)


def _split_line(offset: int, line: str) -> Iterator[tuple[int, int]]:
    """The sentences of a line without the mark of a list item that opens it."""
    opening = _OPENING.match(line)
    for start, end in _split(line.rstrip(), opening.end() if opening else 0):
        yield offset + start, offset + end


def _split(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """(start, end) of each sentence; all that is between two of them is white space."""
    begun: int | None = None
    for match in _SENTENCE.finditer(text, start):
        begun = match.start() if begun is None else begun
        end = match.end()
        if not _goes_on(text[max(begun, end - _LONGEST_ABBREVIATION) : end], text, end):
            last = end - _stars_of_next(text[begun:end]) if end < len(text) else end
            yield begun, last
            begun = last if last < end else None


def _stars_of_next(sentence: str) -> int:
    """The number of asterisks behind a sentence that open the emphasis of the next one."""
    said = sentence.rstrip("*")
    stars = len(sentence) - len(said)
    return stars if stars and said.count("*") % (2 * stars) == 0 else 0


def _goes_on(ending: str, text: str, end: int) -> bool:
    """Whether a sentence only seems to end, with an abbreviation before the rest of its text."""
    rest = text[end : end + _LONGEST_ABBREVIATION].lstrip()
    if not rest:
        return False
    if ending.endswith((".)", "etc.")) and rest[0].islower():
        return True
    if ending.endswith("．") and ending[-2:-1].isdigit() and text[end].isdigit():
        return True
    return ending.endswith((".", "．")) and bool(
        _SHORTENED.search(ending)
        or _LABEL.fullmatch(ending)
        or (rest[0] in "(&" and _AUTHOR.search(ending))
        or (rest[0].isdigit() and _NUMBERED.search(ending))
        or (_NAME.match(rest) and _INITIAL.search(ending))
    )
