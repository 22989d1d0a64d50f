"""HTML in the answers of a FAQ, as other systems export them, as Markdown."""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from knowledge.sources.tables import SHIFTS, table_lines
from knowledge.sources.web_page import cell_grid, parse_html

_BLOCKS = frozenset(
    "address article blockquote caption center div dl dt figure figcaption footer form h1 h2 h3 h4 h5 h6 "
    "header hr main nav ol p pre section table tbody td tfoot th thead tr ul dd li".split()
)
_EMPTY = frozenset({"br", "hr", "img"})
_DROPPED = frozenset({"colgroup", "script", "style", "del", "s", "strike"})
_CODE = frozenset({"code", "kbd", "samp", "tt"})
_KNOWN = "|".join(
    _BLOCKS | _EMPTY | _DROPPED | _CODE
    | set("a abbr b big cite em font i ins label mark q small span strong sub sup u var".split())
)  # fmt: skip
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>{_KNOWN})(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))*\s*/?>",
    re.IGNORECASE,
)
_OTHER_SIGN = re.compile(rf"(?!{_TAG.pattern})<", re.IGNORECASE)
"""A sign that opens no known tag, as in a < b."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKDOWN_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SCHEMES = ("http://", "https://", "mailto:")
_SIGNS = {"br": "  \n", "hr": "\n\n---\n\n"}
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "dt": "**"} | {f"h{n}": "**" for n in range(1, 7)}
_LINE_END = "\ue001"
"""Stands for a line end of Markdown, of which HTML makes a blank."""


def as_markdown(answer: str) -> str:
    """The answer with its known tags as Markdown; one without, or that only names them, is as it was.

    `InvalidInput` where elements are nested too deeply.
    """
    if "<" not in answer:
        return answer
    codes: list[str] = []
    text = _MARKDOWN_CODE.sub(lambda code: _held(code[0], codes), _COMMENT.sub("", answer))
    tags = [(tag["name"].lower(), bool(tag["close"])) for tag in _TAG.finditer(text)]
    opened = {name for name, closes in tags if not closes}
    if not opened & (_EMPTY | {name for name, closes in tags if closes}):
        return answer
    text = _OTHER_SIGN.sub("&lt;", text)
    if not opened & _BLOCKS:
        text = _ROW.sub(lambda row: _BREAK.sub(" ", row[0]), text).replace("\n", _LINE_END)
    root = parse_html(f"<div>{text}</div>", path="")
    markdown = re.sub(r"\s*\n\s*\n\s*", "\n\n", _inside(root, codes)).strip().replace(_LINE_END, "\n")
    return re.sub("\ue000(\\d+)\ue000", lambda held: codes[int(held[1])], markdown)


def _held(code: str, codes: list[str]) -> str:
    """A mark in place of code, in which nothing is touched."""
    codes.append(code)
    return f"\ue000{len(codes) - 1}\ue000"


def _inside(element: HtmlElement, codes: list[str]) -> str:
    """The content of an element as Markdown."""
    pieces = [_text(element.text)]
    for child in element:
        pieces += [_markdown(child, codes), _text(child.tail)]
    return "".join(pieces)


def _markdown(element: HtmlElement, codes: list[str]) -> str:
    tag = element.tag
    if tag in _DROPPED:
        return ""
    if tag == "pre":
        lines = element.text_content().strip("\n")
        return "\n\n" + _held(f"```\n{lines}\n```", codes) + "\n\n"
    if tag in _CODE:
        code = " ".join(element.text_content().split())
        return _held(f"`{code}`", codes) if code else ""
    if tag in _SIGNS:
        return _SIGNS[tag]
    if tag in ("ul", "ol"):
        return _list(element, codes)
    if tag == "table":
        return _table(element, codes)
    if tag == "img":
        return _link(element.get("alt", ""), element.get("src", ""))
    inner = _inside(element, codes)
    words = inner.strip()
    if tag == "a":
        return _link(inner, element.get("href", ""))
    if tag in SHIFTS and "\ue000" not in inner and element.find(".//a") is None:
        return SHIFTS[tag](_text(element.text_content()))
    if mark := _MARKS.get(tag, "") if words else "":
        inner = inner.replace(words, f"{mark}{words}{mark}")
    if tag == "blockquote":
        inner = "> " + words.replace("\n", "\n> ")
    return f"\n\n{inner.strip()}\n\n" if tag in _BLOCKS else inner


def _text(text: str | None) -> str:
    """The text between tags; what looks like a tag in it was written as one to be read."""
    line = re.sub(r"\s+", " ", text or "")
    return _TAG.sub(lambda tag: "&lt;" + tag[0][1:], line)


def _link(words: str, address: str) -> str:
    label = words.strip() or address
    return f"[{label}]({address.strip()})" if address.strip().startswith(_SCHEMES) else words


def _list(element: HtmlElement, codes: list[str]) -> str:
    lines: list[str] = []
    for number, item in enumerate(element, start=1):
        sign = f"{number}. " if element.tag == "ol" else "- "
        text = _inside(item, codes) if item.tag == "li" else _markdown(item, codes)
        more = re.sub(r"\s*\n\s*\n", "\n", text.strip()).replace("\n", "\n" + " " * len(sign))
        lines.append((sign if item.tag == "li" else " " * len(sign)) + more)
    return "\n\n" + "\n".join(lines) + "\n\n"


def _table(element: HtmlElement, codes: list[str]) -> str:
    """A table with the first row as its header."""
    grid = cell_grid(list(element.iter("tr")), lambda cell: " ".join(_inside(cell, codes).split()))
    if not grid:
        return ""
    lines = table_lines(grid)
    above = "".join(_inside(each, codes) for each in element.iterchildren("caption"))
    return f"\n\n{above}\n\n" + "\n".join(lines) + "\n\n"
