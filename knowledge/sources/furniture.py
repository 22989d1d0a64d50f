"""Blocks of a document that lead somewhere else and say nothing themselves: contents, menus, "next page"."""

from __future__ import annotations

import re
from collections.abc import Set

from knowledge.sources.inline_marks import LINK_CLOSES, LINK_OPENS
from vta.headings import is_contents, is_furniture, without_numbering
from vta.text import normalise

_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?P<text>.*)$", re.MULTILINE)
_INSIDE = re.compile(f"{LINK_OPENS}[^{LINK_OPENS}{LINK_CLOSES}]*{LINK_CLOSES}")
_ANY_LINK = re.compile(rf"{_INSIDE.pattern}|\[(?P<words>[^\[\]]*)\]\([^()\s]*\)")
_WORD = re.compile(r"[a-z]+|[\u4e00-\u9fff]", re.IGNORECASE)
_MARK = re.compile(f"[{LINK_OPENS}{LINK_CLOSES}]")
_MOST_WORDS = 2
_MOST_BESIDE = 0.25
_SHORT_ITEM = 12


def heading_key(heading: str) -> str:
    """The form in which an item of a table of contents is compared with the headings."""
    return normalise(without_numbering(_MARK.sub("", heading).strip(" *`")))


def without_navigation(block: str, *, heading: str, headings: Set[str]) -> str:
    """The block without what only leads to other places; empty where it is nothing else.

    Left out are a line of links with at most two words beside, and in a list the links into the course and
    the document's own `headings` (as `heading_key` gives them) where three of four items are such, or where
    the list stands below a heading for contents; there short items without a link go, too.
    """
    items = [match["text"].strip() for match in _ITEM.finditer(block)]
    if not items:
        return "" if _only_links(block) else block
    named = len(items) > 2
    below_contents = is_contents(heading)
    leads = [_is_link(item) or (named and heading_key(item) in headings) for item in items]
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


def without_link_marks(block: str) -> str:
    """The block with the words of links into the course as words."""
    return _MARK.sub("", block)


def _only_links(block: str) -> bool:
    """Whether a paragraph is nothing but links into the course, or "Edit this page" and the like."""
    if LINK_OPENS not in block and "](" not in block:
        return False
    for match in _ANY_LINK.finditer(block):
        if match["words"] is not None and not is_furniture(match["words"]):
            return False
    return _words(_ANY_LINK.sub(" ", block)) <= _MOST_WORDS


def _is_link(item: str) -> bool:
    return bool(_INSIDE.search(item)) and _words(_INSIDE.sub(" ", item)) <= _MOST_WORDS


def _words(text: str) -> int:
    return len(_WORD.findall(text))
