"""Markdown: every block under its heading path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from contextlib import suppress
from functools import cache
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.sources.contents import FRONT_MATTER
from knowledge.sources.dialects import plain_markdown
from knowledge.sources.inline_marks import as_written, plain
from knowledge.sources.note_marks import (
    LINK_CLOSES,
    LINK_OPENS,
    SECTION_CLOSES,
    SECTION_OPENS,
    section_level,
)
from knowledge.sources.web_page import html_blocks, parse_html
from vta.errors import InvalidInput
from vta.faults import Fault
from vta.headings import is_boilerplate, is_contents, without_numbering
from vta.text import normalise
from vta.types.answers import Block
from vta.types.documents import SourceDocument
from vta.types.pairs import Locator

_CODE = frozenset({"fence", "code_block"})
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*(?P<quote>[\"']?)(?P<title>.+?)(?P=quote)\s*$", re.MULTILINE)
_DRAFT = re.compile(r"^(?:draft\s*[:=]\s*true|published\s*:\s*false)\s*$", re.MULTILINE)
_BRACKETS = re.compile(r"^\[(.+)\]$")
_CAPTION = re.compile(
    r"(?:图|圖|figure|fig\.)\s*\d++(?:[.-]\d++)*+[*_]{0,3}+"
    r"(?:[.:：](?=\D).*|(?!\s*(?-i:[a-z(（,，、'’中里上的所是给展显表说解对比和与到]))"
    r".*[^.。!！?？:：])?",
    re.IGNORECASE,
)
"""A paragraph that names a picture, which is not read; none that goes on as a sentence about it does."""
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?P<text>.*)$", re.MULTILINE)
_INSIDE = re.compile(f"{LINK_OPENS}[^{LINK_OPENS}{LINK_CLOSES}]*{LINK_CLOSES}")
_ANY_LINK = re.compile(rf"{_INSIDE.pattern}|\[(?P<words>[^\[\]]*)\]\([^()\s]*\)")
_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]", re.IGNORECASE)
_MARK = re.compile(f"[{LINK_OPENS}{LINK_CLOSES}{SECTION_OPENS}{SECTION_CLOSES}]")
_DEEPEST = 20
"""Parts inside of each other."""
_MOST_WORDS = 2
_MOST_BESIDE = 0.25
_SHORT_ITEM = 12


def read_markdown(text: str, *, path: str) -> SourceDocument:
    """The top-level blocks (paragraph, list, table, code) in order, each with the headings above it.

    The title is the front matter's, else the first heading where no text stands before it, else the file's
    name. What the tools of books and sites add, tables of contents and menus are left out. `InvalidInput` for
    a draft, which the site does not show.
    """
    parser, spans = _block_parser(), _span_parser()
    links: dict[str, object] = {}
    title, text = _split_front_matter(text, path)
    markdown = plain_markdown(text, PurePosixPath(path).suffix.lower())
    lines = markdown.split("\n")
    tokens = list(_top_level(parser.parse(markdown, links)))
    own = frozenset(
        _heading_key(content.content) for opening, content in tokens if opening.type == "heading_open"
    )
    headings: list[tuple[float, str]] = []
    outside: list[list[tuple[float, str]]] = []
    blocks: list[Block] = []
    for opening, content in tokens:
        opens = content.content.startswith(SECTION_OPENS) and len(outside) < _DEEPEST
        if opens or opening.type == "heading_open":
            heading = plain(_without_link_marks(_plain(spans.parseInline(content.content, links)[0])))
            if opens:
                outside.append(headings)
                level = section_level(headings[-1][0] if headings else 0)
            else:
                level = int(opening.tag[1:])
                title = title or ("" if headings or blocks else heading)
            headings = [(n, h) for n, h in headings if n < level] + [(level, heading)]
        elif content.content == SECTION_CLOSES:
            headings = outside.pop() if outside else headings
        elif opening.map and opening.type != "hr":
            body = "\n".join(lines[opening.map[0] : opening.map[1]])
            above = tuple(h for _, h in headings if h) or (title or PurePosixPath(path).stem,)
            place = Locator(heading_path=above)
            blocks += (Block(text=each, locator=place) for each in _texts(opening, body, above[-1], own))
    return SourceDocument(path=path, title=title or PurePosixPath(path).stem, blocks=tuple(blocks))


def _texts(opening: Token, body: str, heading: str, own: frozenset[str]) -> Iterator[str]:
    """The text of a block, or the texts in a piece of HTML; none for a block that only leads elsewhere."""
    if opening.type == "html_block":
        with suppress(InvalidInput):  # a lone tag, or one that is never closed
            texts = (as_written(text) for _, text in html_blocks(parse_html(body, path="")))
            yield from (_without_link_marks(text) for text in texts if text.strip())
        return
    if opening.type not in _CODE:
        body = _without_navigation(body, heading=heading, headings=own)
    if body.strip() and not _CAPTION.fullmatch(body.strip("*_ \n")):
        yield as_written(_without_link_marks(body)).strip("\n").rstrip()


def _split_front_matter(text: str, path: str) -> tuple[str, str]:
    """The title that YAML or TOML before a text gives, "" for none, and the text."""
    front = FRONT_MATTER.match(text)
    if front is None:
        return "", text
    if _DRAFT.search(front["fields"]):
        raise InvalidInput(Fault("file.not_open_to_all", name=PurePosixPath(path).name).at(path))
    found = _FRONT_TITLE.search(front["fields"])
    return found["title"].strip() if found else "", text[front.end() :]


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _span_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _top_level(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    """The opening tokens at level 0, each with the token after it."""
    for i, token in enumerate(tokens):
        if token.level == 0 and token.nesting >= 0:
            yield token, tokens[min(i + 1, len(tokens) - 1)]


def _plain(inline: Token) -> str:
    """A heading's text without markup."""
    parts = (
        " " if child.type in ("softbreak", "hardbreak") else child.content
        for child in inline.children or ()
        if child.type != "html_inline"
    )
    return _BRACKETS.sub(r"\1", "".join(parts).strip()).strip(" ¶").strip()


def _heading_key(heading: str) -> str:
    """The form in which an item of a table of contents is compared with the headings."""
    return normalise(without_numbering(_MARK.sub("", heading).strip(" *`")))


def _without_navigation(block: str, *, heading: str, headings: Set[str]) -> str:
    """The block without what only leads to other places; empty where it is nothing else.

    Left out are a line of links with at most two words beside, lines that are all the document's own
    `headings` (as `_heading_key` gives them), and in a list the links into the course and such headings where
    three of four items are such, or where the list stands below a heading for contents; there short items
    without a link go, too.
    """
    items = [match["text"].strip() for match in _ITEM.finditer(block)]
    if not items:
        leads_elsewhere = all(
            is_contents(line) or _heading_key(line) in headings for line in block.splitlines()
        )
        return "" if leads_elsewhere or _only_links(block) else block
    named = len(items) > 2
    below_contents = is_contents(heading)
    leads = [_is_link(item) or (named and _heading_key(item) in headings) for item in items]
    if not below_contents and (not any(leads) or leads.count(False) > _MOST_BESIDE * len(items)):
        return block
    if below_contents:
        leads = [lead or _words(item) <= _SHORT_ITEM for lead, item in zip(leads, items, strict=True)]
    return _kept_items(block, leads)


def _kept_items(block: str, leads: list[bool]) -> str:
    """The items of a list that lead nowhere else, with the lines that belong to them."""
    kept = []
    number = -1
    for line in block.split("\n"):
        number += bool(_ITEM.match(line))
        if number < 0 or not leads[number]:
            kept.append(line)
    return "\n".join(kept) if any(map(str.strip, kept)) else ""


def _without_link_marks(block: str) -> str:
    """The block with the words of links into the course as words."""
    return block if block.isascii() else _MARK.sub("", block)


def _only_links(block: str) -> bool:
    """True for a paragraph of nothing but links into the course, or "Edit this page" and the like."""
    if LINK_OPENS not in block and "](" not in block:
        return False
    for match in _ANY_LINK.finditer(block):
        if match["words"] is not None and not is_boilerplate(match["words"]):
            return False
    return _words(_ANY_LINK.sub(" ", block)) <= _MOST_WORDS


def _is_link(item: str) -> bool:
    return bool(_INSIDE.search(item)) and _words(_INSIDE.sub(" ", item)) <= _MOST_WORDS


def _words(text: str) -> int:
    return len(_WORD.findall(text))
