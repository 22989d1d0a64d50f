"""Markdown: every block under its heading path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from vta.types import Block, Locator, SourceDocument

_SKIPPED = frozenset({"hr", "front_matter"})
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def read_markdown(text: str, *, path: str) -> SourceDocument:
    """The top-level blocks (paragraph, list, table, code) in order, each with the headings above it."""
    parser, spans = _block_parser(), _span_parser()
    links: dict[str, object] = {}
    lines = text.split("\n")
    title = PurePosixPath(path).stem
    headings: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for opening, content in _top_level(parser.parse(text, links)):
        if opening.type == "heading_open":
            level = int(opening.tag[1:])
            heading = _plain(spans.parseInline(content.content, links)[0])
            if heading and not headings and not blocks:
                title = heading
            headings = [(n, h) for n, h in headings if n < level] + [(level, heading)]
        elif opening.map and opening.type not in _SKIPPED:
            body = "\n".join(lines[opening.map[0] : opening.map[1]])
            if opening.type == "html_block":
                body = _COMMENT.sub("", body)
            path_above = tuple(h for _, h in headings if h) or (title,)
            if body.strip():
                blocks.append(Block(text=body.strip("\n").rstrip(), locator=Locator(heading_path=path_above)))
    return SourceDocument(path=path, title=title, blocks=tuple(blocks))


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
    return "".join(parts).strip()
