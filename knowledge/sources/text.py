"""Plain text: paragraphs under the file's name; the bullet signs of Word and PDF as Markdown lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from vta.types.answers import Block
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_BLANK_LINES = re.compile(r"\n\s*\n")


def read_text(text: str, *, path: str) -> SourceDocument:
    """One block a paragraph; the heading path is the file's name."""
    title = PurePosixPath(path).stem
    place = Locator(heading_path=(title,))
    paragraphs = (paragraph.strip() for paragraph in _BLANK_LINES.split(list_items(text)))
    blocks = tuple(Block(text=paragraph, locator=place) for paragraph in paragraphs if paragraph)
    return SourceDocument(path=path, title=title, blocks=blocks)


_GLYPHS = "\ue000-\uf8ff"
"""Signs of symbol fonts, which have no character of their own: at the beginning of a line a bullet."""
_SIGNS = f"•‣▪▫●○◦■□➢➤{_GLYPHS}"

_BULLET = re.compile(rf"\s*(?:[{_SIGNS}\ufffd]\s+|[{_GLYPHS}])(?=\S)")
"""U+FFFD is what a lost bullet leaves; inside of a line it may have been a dash or a quotation mark."""

_INLINE = re.compile(rf"\s[{_SIGNS}]\s+(?=\S)")
_ALONE = re.compile(rf"^([ \t]*[{_SIGNS}\ufffd])[ \t]*\n\s*", re.MULTILINE)
_LEAD = re.compile(r"[:：]\s*$")
_MARK = "- "
_WRAPPED = 40
"""Characters; a line of a page has more."""


def is_glyph(sign: str) -> bool:
    """True for a sign of a symbol font; False for any other, and for none."""
    return "\ue000" <= sign <= "\uf8ff"


def without_glyphs(text: str) -> str:
    """A text without the signs of symbol fonts."""
    return text if text.isascii() else re.sub(f"[{_GLYPHS}]", "", text)


def is_item(line: str) -> bool:
    """True if a line begins with a bullet sign."""
    return _BULLET.match(line) is not None


def as_item(line: str) -> str:
    """A line that begins with a bullet sign as an item of a Markdown list; any other as it is."""
    return _BULLET.sub(_MARK, line, count=1) if is_item(line) else line


def ends_item(item: str, line: str) -> bool:
    """True if a line does not continue the item before it: the item is too short to be wrapped."""
    return item.startswith(_MARK) and len(item) < _WRAPPED and not line[:1].islower()


def join_signs(text: str) -> str:
    """A text whose bullet signs that stand alone in a line are in the line of their item."""
    return _ALONE.sub(r"\1 ", text)


def list_items(text: str) -> str:
    """A text whose bullet signs begin lines of a Markdown list, also where several items share a line."""
    lines: list[str] = []
    for line in join_signs(text).split("\n"):
        first, *items = _INLINE.split(as_item(line))
        several = len(items) > 1 or (items and first.startswith(_MARK))
        lines += [first, *(f"{_MARK}{item}" for item in items)] if several else [as_item(line)]
    return without_glyphs("\n".join(line for line in lines if line.strip() != _MARK.strip()))


def join_items(paragraphs: Iterable[str]) -> Iterator[str]:
    """The same, with neighbouring items as one list below the line with a colon that leads to it."""
    together = ""
    for paragraph in paragraphs:
        goes_on = together.rpartition("\n")[2].startswith(_MARK) or _LEAD.search(together)
        if together and paragraph.startswith(_MARK) and goes_on:
            together += f"\n{paragraph}"
            continue
        if together:
            yield together
        together = paragraph
    if together:
        yield together
