"""Markdown set while it is written: HTML that only changes at its end."""

from __future__ import annotations

from dataclasses import dataclass

from markdown_it.token import Token

from services.rendering.markdown import is_too_much, parser, sanitised
from services.rendering.unfinished import completed, without_begun_block

_PATIENCE = 60_000
"""An open end of n characters is set anew after n² / 60,000 more: at each piece where it is short, and
all work on one block is about 300,000 characters at most."""
_NOTHING_YET = "<p></p>\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """After its first `keep` UTF-16 code units (as JavaScript counts), the HTML now goes on with `html`."""

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

    def add(self, piece: str) -> Change | None:
        """What changes with the next piece of Markdown; None where nothing does."""
        self._markdown += piece.replace("\r\n", "\n")
        if len(self._markdown) < self._due or is_too_much(self._markdown):
            return None
        text = without_begun_block(self._markdown)
        tokens = parser().parse(text)
        line, first_open = _open_block(tokens, text.count("\n"))
        _complete(tokens, text)
        closed = _html(tokens[:first_open])
        still_open = _html(tokens[first_open:]).removesuffix(_NOTHING_YET)
        now = closed + still_open
        same = _common(self._shown, now)
        change = Change(keep=self._settled + _units(now[:same]), html=now[same:])
        is_new = now != self._shown
        self._settled += _units(closed)
        self._shown = still_open
        self._markdown = "".join(self._markdown.splitlines(keepends=True)[line:])
        self._due = len(self._markdown) + len(self._markdown) ** 2 // _PATIENCE
        return change if is_new else None


def _open_block(tokens: list[Token], last_line: int) -> tuple[int, int]:
    """Line and token where the last block begins; the last line may yet become another or go on with it."""
    begins = (
        (token.map[0], n)
        for n, token in enumerate(tokens)
        if token.level == 0 and token.nesting >= 0 and token.map and token.map[0] < last_line
    )
    return max(begins, default=(0, 0))


def _complete(tokens: list[Token], text: str) -> None:
    """Close the emphasis and code of the last paragraph, heading, item or cell, if it may go on."""
    written = [token for token in tokens if token.content]
    if written and written[-1].type == "inline" and not text.rstrip(" \t").endswith("\n\n"):
        (inline,) = parser().parseInline(completed(written[-1].content, parser()))
        written[-1].children = inline.children


def _html(tokens: list[Token]) -> str:
    return sanitised(parser().renderer.render(tokens, parser().options, {}))


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    differ = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differ, min(len(one), len(other)))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
