"""Cutting a long block of Markdown: code, tables and formulas last of all."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Pieces keep their white space, to be joined to passages again; `vta.dialogue.sentences` drops it.
_SENTENCE = re.compile(r".*?(?:[。！？!?]+[”’\"')）]*|\.(?=\s)|\n|$)")
_FENCE = re.compile(
    r"(?P<opening>[ \t]*(?P<ticks>`{3,}|~{3,})[^\n]*\n)"
    r"(?P<code>[\s\S]*?)\n?(?P<closing>[ \t]*(?P=ticks)[ \t]*)?\Z"
)
_TABLE = re.compile(
    r"(?P<head>[^\n]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?\n)(?P<rows>[\s\S]+)\Z"
)
_MOST_LINES = 80
_UNIT = re.compile(
    rf"^[ \t]*(?P<ticks>`{{3,}}|~{{3,}})[^`\n]*\n(?:.*\n){{0,{_MOST_LINES}}}?[ \t]*(?P=ticks)[ \t]*(?:\n|\Z)"
    rf"|^[ \t]*\$\$(?:[^$]{{1,1000}})\$\$[ \t]*(?:\n|\Z)"
    rf"|(?:^[ \t]*\|.*(?:\n|\Z)){{2,{_MOST_LINES}}}",
    re.MULTILINE,
)


def cut_block(text: str, longest: int) -> Iterator[str]:
    """Pieces of a block, at most `longest` characters each.

    A block of code is cut between lines, if it can be where a line is not indented, and each piece is a block
    of code; a table between rows, each piece with its head. Other text is cut between sentences, lines, and
    the code, tables and formulas in it; only what is longer by itself is cut anywhere.
    """
    if fence := _FENCE.match(text):
        closing = fence["closing"] or fence["opening"].rstrip("\n").split(fence["ticks"])[0] + fence["ticks"]
        room = longest - len(fence["opening"]) - len(closing) - 1
        if room > longest // 2:
            for code in _packed(_stretches(fence["code"], room), room):
                yield f"{fence['opening']}{code}\n{closing}"
            return
    if (table := _TABLE.match(text)) and len(table["head"]) < longest // 2:
        for rows in _packed(
            _lines(table["rows"], longest - len(table["head"])), longest - len(table["head"])
        ):
            yield table["head"] + rows
        return
    yield from _packed(_units(text, longest), longest)


def _packed(units: Iterator[str], longest: int) -> Iterator[str]:
    """Neighbours joined while they fit."""
    piece = ""
    for unit in units:
        if len(piece) + len(unit) > longest:
            if piece.strip():
                yield piece.strip("\n")
            piece = ""
        piece += unit
    if piece.strip():
        yield piece.strip("\n")


def _stretches(code: str, longest: int) -> Iterator[str]:
    """Lines of code with the indented ones after them; one by one where they are too long together."""
    stretch: list[str] = []
    for line in code.splitlines(keepends=True):
        if stretch and line[:1].strip():
            yield from _whole("".join(stretch), longest)
            stretch = []
        stretch.append(line)
    yield from _whole("".join(stretch), longest)


def _whole(text: str, longest: int) -> Iterator[str]:
    if len(text) <= longest:
        yield text
    else:
        yield from _lines(text, longest)


def _lines(text: str, longest: int) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), longest):
            yield line[start : start + longest]


def _units(text: str, longest: int) -> Iterator[str]:
    """Code, tables and formulas whole where they fit, and the sentences between them."""
    at = 0
    for match in _UNIT.finditer(text):
        if len(match.group()) <= longest:
            yield from _sentences(text[at : match.start()], longest)
            yield match.group()
            at = match.end()
    yield from _sentences(text[at:], longest)


def _sentences(text: str, longest: int) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        sentence = match.group()
        for start in range(0, len(sentence), longest):
            yield sentence[start : start + longest]
