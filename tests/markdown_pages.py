"""The Markdown pages of the project, the links and the code in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    str(path.relative_to(ROOT))
    for folder in ("*.md", "deploy/*.md", "docs/**/*.md", "*/**/MODEL_CARD.md", "tests/data/*.md")
    for path in ROOT.glob(folder)
)
_FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- not run: (?P<why>.+) -->\n(?P=indent))?"
    r"```(?P<label>.*)\n(?P<body>(?:.*\n)*?)(?P=indent)```$",
    re.MULTILINE,
)


class Block(NamedTuple):
    """Fenced code; `why` it cannot be run in a test, where it says so."""

    label: str
    body: str
    why: str | None


@cache
def blocks(page: str) -> list[Block]:
    """The fenced code of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [Block(found["label"], found["body"], found["why"]) for found in _FENCE.finditer(text)]


@cache
def tokens(page: str) -> list[Token]:
    """A page as Markdown."""
    return MarkdownIt("commonmark").enable("table").parse((ROOT / page).read_text(encoding="utf-8"))


def inline(page: str) -> Iterator[Token]:
    """What stands in the lines of a page."""
    for token in tokens(page):
        yield from token.children or ()


@cache
def anchors(page: str) -> set[str]:
    """What `#...` may name: the headings, as code hosts spell them."""
    seen: Counter[str] = Counter()
    found = set()
    for before, token in zip(tokens(page), tokens(page)[1:], strict=False):
        if before.type != "heading_open":
            continue
        words = "".join(each.content for each in token.children or () if each.type in ("text", "code_inline"))
        slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found
