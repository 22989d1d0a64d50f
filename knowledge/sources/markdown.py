"""Markdown: every block under its heading path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from knowledge.sources.dialects import plain_markdown
from knowledge.sources.escapes import as_written, plain
from knowledge.sources.furniture import heading_key, without_link_marks, without_navigation
from knowledge.sources.web_page import html_blocks, parse_html
from vta.errors import InvalidInput
from vta.types import Block, Locator, SourceDocument

_SKIPPED = frozenset({"hr", "front_matter"})
_CODE = frozenset({"fence", "code_block"})
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*(?P<quote>[\"']?)(?P<title>.+?)(?P=quote)\s*$", re.MULTILINE)
_BRACKETS = re.compile(r"^\[(.+)\]$")


def read_markdown(text: str, *, path: str) -> SourceDocument:
    """The top-level blocks (paragraph, list, table, code) in order, each with the headings above it.

    The title is the front matter's, else the first heading where no text stands before it, else the file's
    name. What the tools of books and sites add, tables of contents and menus are left out.
    """
    parser, spans = _block_parser(), _span_parser()
    links: dict[str, object] = {}
    markdown = plain_markdown(text)
    lines = markdown.split("\n")
    tokens = list(_top_level(parser.parse(markdown, links)))
    own = frozenset(heading_key(content.content) for opening, content in tokens if _is_heading(opening))
    title = _front_title(text)
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for opening, content in tokens:
        if _is_heading(opening):
            level = int(opening.tag[1:])
            words = _plain(spans.parseInline(content.content, links)[0])
            heading = plain(without_link_marks(words))
            if not title and not headings and not blocks:
                title = heading
            headings = [(n, h) for n, h in headings if n < level] + [(level, heading)]
        elif opening.map and opening.type not in _SKIPPED:
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
            yield from (without_link_marks(text) for text in texts if text.strip())
        return
    if opening.type not in _CODE:
        body = without_navigation(body, heading=heading, headings=own)
    if body.strip():
        yield as_written(without_link_marks(body)).strip("\n").rstrip()


def _is_heading(token: Token) -> bool:
    return token.type == "heading_open"


def _front_title(text: str) -> str:
    """The title that YAML or TOML before the text gives."""
    for mark in ("---", "+++"):
        if text.startswith(mark):
            found = _FRONT_TITLE.search(text[: max(0, text.find(f"\n{mark}", len(mark)))])
            return found["title"].strip() if found else ""
    return ""


@cache
def _block_parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table").disable("inline").use(front_matter_plugin)


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
