"""Marks of note programs (Obsidian), boxes that open at a click, and raised characters in Markdown."""

from __future__ import annotations

import re
from math import floor

from knowledge.sources.tables import SHIFTS, lowered, raised

LINK_OPENS, LINK_CLOSES = "\U000f0080", "\U000f0081"
"""Around the words of a link that leads nowhere outside of the course's own files."""
SECTION_OPENS, SECTION_CLOSES = "\U000f0084", "\U000f0085"
"""Paragraphs: the first before the heading of a part, the second, alone, behind the part."""

_COMMENT = re.compile(r"(?<!\w)%%(?!%)[\s\S]{1,4000}?%%")
_EMBED = re.compile(r"!\[\[[^\[\]\n]{1,500}\]\](?!\()")
_WIKI_LINK = re.compile(
    r"(?<![A-Za-z0-9_\]\[])\[\[(?P<page>[^\[\]|#\n]{0,300})(?:#(?P<part>[^\[\]|\n]{1,300}))?"
    r"(?:\|(?P<words>[^\[\]\n]{1,300}))?\]\](?![(\]])"
)
_HIGHLIGHT = re.compile(r"(?<![A-Za-z0-9_=)\]])==(?=[^\s=])([^=\n]{1,500})(?<=\S)==(?![A-Za-z0-9_=])")
_BLOCK_NAME = re.compile(r"(?:^|[ \t])\^(?=[\w-]{0,60}[a-z])[A-Za-z0-9-]{3,60}[ \t]{0,9}$", re.MULTILINE)
_FOOTNOTE = re.compile(r"\^\[([^\[\]\n]{1,500})\](?![\^(])")
_DETAILS = re.compile(
    r"^<details\b[^<>]{0,500}>\s*(?:<summary\b[^<>]{0,500}>(?P<title>[\s\S]{0,500}?)</summary\s*>)?",
    re.IGNORECASE | re.MULTILINE,
)
_SUMMARY_END = re.compile(r"</summary\s*>", re.IGNORECASE)
_DETAILS_END = re.compile(r"</details\s*>", re.IGNORECASE)
_IN_LIST = re.compile(r"[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]")
_SHIFTED = re.compile(r"<(?P<tag>su[pb])\b[^<>]{0,200}>(?P<text>[^\n]{0,300}?)</(?P=tag)\s*>", re.IGNORECASE)
_MARKED = re.compile(r"(?<=\w)\^(?P<up>[\w+-]{1,20})\^(?!\w)|(?<=\w)(?<!~)~(?P<down>[\d+-]{1,9})~(?!~)")
_ANY_TAG = re.compile(r"<[^<>]{0,500}>")


def without_note_marks(text: str) -> str:
    """Links between notes as their words, footnotes in brackets, `x^2^` and `H~2~O` of Pandoc as x² and H₂O.

    Embeds, comments and names of blocks are left out.
    """
    text = _COMMENT.sub("", text) if "%%" in text else text
    text = _HIGHLIGHT.sub(r"\1", text) if "==" in text else text
    if "[[" in text:
        text = _WIKI_LINK.sub(_wiki_link, _EMBED.sub("", text))
    if "^" in text:
        text = _FOOTNOTE.sub(r" (\1)", _BLOCK_NAME.sub("", text))
    if "^" in text or "~" in text:
        text = _MARKED.sub(lambda match: raised(match["up"]) if match["up"] else lowered(match["down"]), text)
    return text


def _wiki_link(link: re.Match[str]) -> str:
    part = "" if (link["part"] or "").startswith("^") else link["part"]
    words = link["words"] or " > ".join(filter(None, (link["page"].strip(), part)))
    if words.strip("_").lower() == "toc":
        return link.group()
    return f"{LINK_OPENS}{words}{LINK_CLOSES}"


def section(title: str) -> list[str]:
    """The lines that open a part under this heading."""
    return ["", SECTION_OPENS + title, ""]


END_OF_SECTION = ("", SECTION_CLOSES, "")


def with_sections(text: str) -> str:
    """A text whose `<details>` are parts under their `<summary>`; in a list they stay as they are."""

    def opened(box: re.Match[str]) -> str:
        title = " ".join(_ANY_TAG.sub("", box["title"] or "").split())
        return "\n".join(["", *section(title), ""])

    end = "\n".join(["", *END_OF_SECTION, ""])
    lines = _DETAILS.sub(opened, text).split("\n")
    lines = [line if _IN_LIST.match(line) else _DETAILS_END.sub(end, line) for line in lines]
    return _SUMMARY_END.sub(" ", "\n".join(lines))


def section_level(above: float) -> float:
    """The level of a part under a heading: below it and above any heading of the next level."""
    return (above + floor(above) + 1) / 2


def with_shifts(text: str) -> str:
    """Raised and lowered characters as readable text; without those that lead to a footnote."""

    def shifted(match: re.Match[str]) -> str:
        words = _ANY_TAG.sub("", match["text"])
        if 'href="#' in match["text"]:
            return ""
        return SHIFTS[match["tag"].lower()](words)

    return _SHIFTED.sub(shifted, text)
