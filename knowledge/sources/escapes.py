"""Characters that Markdown writes as escapes (`\\*`) or entities (`&emsp;`), as the characters themselves."""

from __future__ import annotations

import re
import string
from html import unescape
from html.entities import html5
from unicodedata import category

_SHIFT = 0xF0000
_FULL_WIDTH = 0xFEE0
_MARKS = {ord(c) + _SHIFT: c for c in string.punctuation}
_ESCAPED = re.compile(
    r"\\(?P<mark>[!-/:-@\[-`{-~])"
    r"|&(?:amp;)*(?P<entity>#\d{1,7};|#[xX][\da-fA-F]{1,6};|[A-Za-z]\w{1,31};)"
)
_HIDDEN = re.compile(f"([{''.join(map(chr, _MARKS))}])\\1*")
_BLANK = "\u00a0\u2000-\u200a\u202f\u205f"
_AT_AN_END = re.compile(rf"(?<!  \n)^([ \t]*)[{_BLANK}]+|()[{_BLANK}]+(?=[ \t]*$)", re.MULTILINE)
_GAP = re.compile(rf"(?<=\S)[ \t]?[{_BLANK}][{_BLANK} \t]*")
_ENTITY = re.compile(r"#?\w{2,32};")
_NEAR = 300
"""Characters around a mark that tell whether it would act."""


def hide(prose: str) -> str:
    """Prose in which each escape and entity is one character that no parser takes for a mark.

    Blanks that are none of ASCII become one; they stay where they indent a line after a line break.
    """
    if "&" in prose or "\\" in prose:
        prose = re.sub(r"\\\n(?=.)", "  \n", _ESCAPED.sub(_hidden, prose))
    return prose if prose.isascii() else _GAP.sub(" ", _AT_AN_END.sub(r"\1", prose))


def plain(text: str) -> str:
    """The text of `hide` with the characters themselves."""
    return text.translate(_MARKS)


def as_written(block: str) -> str:
    """A block of `hide` with the characters themselves, in full width where Markdown would read a mark.

    Both are the same to what compares and ranks texts (NFKC).
    """
    return _HIDDEN.sub(_shown, block)


def _hidden(match: re.Match[str]) -> str:
    """A name that is no entity's stays."""
    text, entity = match["mark"], match["entity"]
    if entity:
        found = unescape(f"&{entity}") if entity[0] == "#" else html5.get(entity)
        if found is None:
            return match.group()
        text = "".join(" " if c in "\t\n\r\f\v" else c for c in found if category(c) not in ("Cf", "Co"))
    return "".join(chr(ord(c) + _SHIFT) if c in string.punctuation else c for c in text)


def _shown(run: re.Match[str]) -> str:
    mark, size = _MARKS[ord(run[1])], run.end() - run.start()
    before = run.string[max(0, run.start() - _NEAR) : run.start()]
    after = run.string[run.end() : run.end() + _NEAR]
    if mark == "*" and size == 1 and before[-1:].isalnum() and after[:1].isalnum():
        return " * "
    if mark == "|" and "|" in before.rpartition("\n")[2] + after.partition("\n")[0]:
        return "\\|" * size  # in a row of a table
    return (chr(ord(mark) + _FULL_WIDTH) if _would_act(mark, size, before, after) else mark) * size


def _would_act(mark: str, size: int, before: str, after: str) -> bool:
    """Whether Markdown would read something into a run of the mark between these texts."""
    opens_line = not before.rpartition("\n")[2].strip() and len(before) < _NEAR
    last, following = before[-1:], after[:1]
    alone = size == 1 and not last.strip() and not following.strip()
    match mark:
        case "*":
            return not alone or opens_line
        case "_":
            return not alone and not (last.isalnum() and following.isalnum())
        case "~":
            return size > 1 or "~" in (last, following)
        case "$":
            several = chr(ord(mark) + _SHIFT) in before + after
            return size > 1 or "$" in before + after or (several and not following.isdigit())
        case "`":
            return True
        case "[":
            return "](" in after
        case "]" | "!":
            return following == ("(" if mark == "]" else "[")
        case "&":
            return _ENTITY.match(after) is not None
        case "\\":
            return size > 1 or not following.strip() or plain(following) in string.punctuation
        case "#" | "+" | "-" | ">" | "|":
            return opens_line and (size > 1 or not following.strip() or mark in ">|")
    return False
