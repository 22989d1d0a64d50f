"""The end of Markdown that is still being written: what is left out, or closed, until the rest has come."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from services.rendering.markdown import beside_chinese

LONGEST_WAIT = 200
"""Characters after a mark that may begin a formula or a link; from then on the mark stands for itself."""
LONGEST_DISPLAY = 2_000
"""The same for a displayed formula."""

_PERHAPS_A_BLOCK = re.compile(
    r"^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*(?:[-*+=#>|`~:$\s]*|\d{1,9}[.)]?|(?:`{3,}|~{3,})[^\n]*)\Z",
    re.MULTILINE,
)
_FIRST_ROW = re.compile(r"(?:(?<=\n)|\A)[ \t]*\|[^\n]*\n?\Z")
_ROW_BEFORE = re.compile(r"(?:\n|\A)[ \t]*\|[^\n]*\n\Z")
_VERBATIM = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[\s\S]*?(?:^ {0,3}(?P=fence)|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`)[\s\S]*?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE,
)
_INLINE = re.compile(
    r"(?P<literal>\\[\s\S]|\[\d{1,3}\]|\[[^\[\]]*\]\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\](?![(\[]|\Z))"
    r"|(?P<ticks>`+)|(?P<dollars>\${1,2})|(?P<waits>\\\Z|\[|<(?=[A-Za-z][^>\s]*\Z)|&(?=#?\w*\Z))"
    r"|(?P<delimiters>\*+|_+|~+)"
)


def without_begun_block(text: str) -> str:
    """Markdown without an end that does not yet tell what block it begins.

    Left out are a last line of nothing but marks or a number, one that opens or closes a code block, the
    first row of a table, and a displayed formula that is not closed.
    """
    hidden = _VERBATIM.sub(lambda match: " " * len(match.group()), text)
    begin = hidden.rfind("$$")
    if hidden.count("$$") % 2 and len(text) - begin <= LONGEST_DISPLAY:
        text = text[:begin]
    if begun := _PERHAPS_A_BLOCK.search(text, text.rfind("\n") + 1):
        text = text[: begun.start()]
    row = _FIRST_ROW.search(text)
    return text[: row.start()] if row and not _ROW_BEFORE.search(text[: row.start()]) else text


def completed(text: str, parser: MarkdownIt) -> str:
    """The text of a last paragraph, its emphasis and code closed, cut before an unclosed link or formula."""
    state = StateInline(text, parser, {}, [])
    left_open: list[str] = []
    at = 0
    while match := _INLINE.search(text, at):
        at = match.end()
        if match["ticks"]:
            closing = re.compile(rf"(?<!`){match['ticks']}(?!`)").search(text, at)
            if closing is None:
                return _closed(text, [*left_open, match["ticks"]])
            at = closing.end()
        elif match["dollars"]:
            end = text.find(match["dollars"], at)
            if end < 0 and len(text) - at <= LONGEST_WAIT:
                return _closed(text[: match.start()], left_open)
            at = end + len(match["dollars"]) if end >= 0 else at
        elif (match["waits"] and len(text) - at <= LONGEST_WAIT) or (match["delimiters"] and at == len(text)):
            return _closed(text[: match.start()], left_open)
        elif match["delimiters"]:
            scanned = state.scanDelims(match.start(), match.group()[0] == "*")
            opens, closes = beside_chinese(text, *match.span()) if match.group()[0] == "*" else (False, False)
            _follow(
                left_open,
                match.group(),
                opens=scanned.can_open or opens,
                closes=scanned.can_close or closes,
            )
    return _closed(text, left_open)


def _follow(left_open: list[str], run: str, *, opens: bool, closes: bool) -> None:
    """Let a run of delimiters close what it may, and open with the rest; `~` counts in twos."""
    mark, count = run[0], len(run) if run[0] != "~" else len(run) // 2 * 2
    while closes and count and left_open and left_open[-1][0] == mark and len(left_open[-1]) <= count:
        count -= len(left_open.pop())
    if opens and count:
        left_open.append(mark * count)


def _closed(text: str, left_open: list[str]) -> str:
    """The text with what is open closed, and without marks that open nothing yet."""
    text = text.rstrip()
    for mark in reversed(left_open):
        if text.endswith(mark):
            text = text.removesuffix(mark).rstrip()
        else:
            text += mark
    return text
