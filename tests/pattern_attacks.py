"""Texts that make a pattern work hard, made of what it looks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_CLASSES = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
MOST_CHARACTERS = 5


def attacks_on(pattern: re.Pattern[str], length: int) -> Iterator[str]:
    """One or two characters of the pattern again and again, with a third before them or none."""
    found = list(dict.fromkeys([*_characters(parser.parse(pattern.pattern, pattern.flags)), "\0"]))
    for first, second in product(found[:MOST_CHARACTERS], repeat=2):
        yield first * (length - 1) + second
        if first != second:
            yield (first + second) * (length // 2)


def _characters(tree: Any) -> Iterator[str]:
    """The literals of a parsed pattern, and one character of each class."""
    for operation, value in tree:
        name = str(operation)
        if name in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        elif name == "RANGE":
            yield chr(value[0])
        elif name == "CATEGORY":
            yield _CLASSES.get(str(value), "\0")
        elif name == "IN":
            yield from _characters(value[:3])
        elif name == "BRANCH":
            for each in value[1]:
                yield from _characters(each)
        elif isinstance(value, tuple):
            for each in value:
                if isinstance(each, parser.SubPattern):
                    yield from _characters(each)
