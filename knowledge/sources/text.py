"""Plain text: paragraphs under the file's name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from knowledge.sources.bullets import list_items
from vta.types import Block, Locator, SourceDocument

_BLANK_LINES = re.compile(r"\n\s*\n")


def read_text(text: str, *, path: str) -> SourceDocument:
    """One block a paragraph; the heading path is the file's name."""
    title = PurePosixPath(path).stem
    place = Locator(heading_path=(title,))
    paragraphs = (paragraph.strip() for paragraph in _BLANK_LINES.split(list_items(text)))
    blocks = tuple(Block(text=paragraph, locator=place) for paragraph in paragraphs if paragraph)
    return SourceDocument(path=path, title=title, blocks=blocks)
