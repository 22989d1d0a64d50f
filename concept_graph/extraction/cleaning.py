"""Passages as prose: without code, images, addresses and markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from vta.types import QAPair

_FENCE = re.compile(r"[ \t>]*(```+|~~~+)")
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")


def clean_passages(passages: Iterable[QAPair]) -> Iterator[tuple[QAPair, str]]:
    """Each passage with its text without code, images and addresses; links keep their words,
    and entities are the characters they stand for.

    A block of code may have been cut into several passages: it is followed from one to the next.
    """
    place: tuple[str | None, str] | None = None
    fence = ""
    for passage in passages:
        if (passage.document, passage.question) != place:
            place, fence = (passage.document, passage.question), ""
        text, fence = _outside_code(passage.answer, fence)
        if "http" in text or "](" in text or "www." in text:
            text = _ADDRESS.sub(" ", _LINK.sub(r"\1", _IMAGE.sub("\n", text)))
        yield passage, html.unescape(text) if "&" in text else text


def _outside_code(text: str, fence: str) -> tuple[str, str]:
    """The lines outside fenced code, and the fence that is still open at the end; "" where none is."""
    if not fence and "```" not in text and "~~~" not in text:
        return text, ""
    lines = []
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence):
                fence = ""
        elif mark:
            fence = mark.group(1)
        else:
            lines.append(line)
    return "\n".join(lines), fence
