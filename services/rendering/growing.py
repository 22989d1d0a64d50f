"""Markdown set while it is written: HTML that only changes at its end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from services.rendering.markdown import beside_chinese, is_too_much, parser, sanitised

_PATIENCE = 60_000
"""An open end of n characters is rendered again after n² / 60,000 more: at each piece where it is short, and
all work on one block is about 300,000 characters at most."""
LONGEST_WAIT = 200
"""Characters after a mark that may begin a formula or a link; from then on the mark stands for itself."""
LONGEST_DISPLAY = 2_000
"""Characters after the mark of a displayed formula."""

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
_NOTHING_YET = "<p></p>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class HtmlPatch:
    """After its first `keep` UTF-16 code units (as JavaScript counts), the HTML now continues with `html`."""

    keep: int
    html: str


class GrowingMarkdown:
    """The HTML of a text that comes in pieces; sanitised as `render_markdown` does, at every moment.

    Blocks that nothing can change any more are settled; only the last one is set again. A mark whose end has
    not come is not shown. Once the end is too much work to parse, nothing changes any more.
    """

    def __init__(self) -> None:
        self._markdown = ""  # of the blocks that are not settled
        self._shown = ""  # their HTML
        self._settled = 0  # UTF-16 code units of the HTML before
        self._due = 0

    def add(self, piece: str) -> HtmlPatch | None:
        """The change of the HTML by the next piece of Markdown; None for no change."""
        self._markdown += piece.replace("\r\n", "\n")
        if len(self._markdown) < self._due or is_too_much(self._markdown):
            return None
        text = _without_begun_block(self._markdown)
        tokens = parser().parse(text)
        line, first_open = _open_block(tokens, text.count("\n"))
        _complete(tokens, text)
        closed = _html(tokens[:first_open])
        still_open = _html(tokens[first_open:]).removesuffix(_NOTHING_YET)
        now = closed + still_open
        same = _common(self._shown, now)
        change = HtmlPatch(keep=self._settled + _units(now[:same]), html=now[same:])
        is_new = now != self._shown
        self._settled += _units(closed)
        self._shown = still_open
        self._markdown = "".join(self._markdown.splitlines(keepends=True)[line:])
        self._due = len(self._markdown) + len(self._markdown) ** 2 // _PATIENCE
        return change if is_new else None


def _open_block(tokens: list[Token], last_line: int) -> tuple[int, int]:
    """Line and token where the last block begins; the last line may become another or continue it."""
    begins = (
        (token.map[0], n)
        for n, token in enumerate(tokens)
        if token.level == 0 and token.nesting >= 0 and token.map and token.map[0] < last_line
    )
    return max(begins, default=(0, 0))


def _complete(tokens: list[Token], text: str) -> None:
    """Close the emphasis and code of the last paragraph, heading, item or cell, if it may continue."""
    written = [token for token in tokens if token.content]
    if written and written[-1].type == "inline" and not text.rstrip(" \t").endswith("\n\n"):
        (inline,) = parser().parseInline(_completed(written[-1].content))
        written[-1].children = inline.children


def _html(tokens: list[Token]) -> str:
    return sanitised(parser().renderer.render(tokens, parser().options, {}))


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    differ = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _without_begun_block(text: str) -> str:
    """Markdown without an end whose kind of block is still open.

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


def _completed(text: str) -> str:
    """The text of a last paragraph, its emphasis and code closed, cut before an unclosed link or formula."""
    state = StateInline(text, parser(), {}, [])
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
