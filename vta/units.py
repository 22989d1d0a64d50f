"""The units of a passage: what is quoted whole or not at all.

A code block, a display formula, a table and a list are one unit each; prose is made of sentences.
"""

from __future__ import annotations

import re
from enum import StrEnum


class UnitKind(StrEnum):
    """What a unit is made of."""

    SENTENCE = "sentence"
    CODE = "code"
    FORMULA = "formula"
    TABLE = "table"
    LIST = "list"


_UNITS = {
    UnitKind.CODE: re.compile(
        r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
    ),
    UnitKind.FORMULA: re.compile(
        r"\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(equation|align)\*?\}.+?\\end\{\1\*?\}", re.DOTALL
    ),
    UnitKind.TABLE: re.compile(r"^\|.+\|[ \t]*$(?:\n^\|.*\|[ \t]*$)+", re.MULTILINE),
    UnitKind.LIST: re.compile(
        r"^ {0,3}(?:[-*+]|\d{1,3}[.)、])\s.+(?:\n(?!\n)(?: {2,}|[-*+] |\d{1,3}[.)、]).+)+", re.MULTILINE
    ),
}
_EXAMPLE = re.compile(
    r"例如|比如|例子|举例|譬如|假设|"
    r"\bfor (?:example|instance)\b|\be\.g\.|\bsuppose\b|\bimagine\b|\bexamples?\b",
    re.IGNORECASE,
)


def holds(kind: UnitKind, passage: str) -> bool:
    """Whether a passage has a unit of this kind."""
    return kind is UnitKind.SENTENCE or _UNITS[kind].search(passage) is not None


def holds_example(passage: str) -> bool:
    """Whether a passage says that it gives an example."""
    return _EXAMPLE.search(passage) is not None
