"""Marks of an order to the assistant in the structure of a text, beyond n-grams of four characters."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from vta.patterns import pattern, read_table
from vta.text import HAN

_HAN = re.compile(f"[{HAN}]")
_TABLE = read_table("intent.guard", "marks.toml")
MARKS = tuple(_TABLE)
_PATTERNS = [(pattern(each["en"]), pattern(f"{each['en']}|{each['zh']}")) for each in _TABLE.values()]
"""Of each mark those of English, and those of both languages."""


def mark(plain: str) -> NDArray[np.float64]:
    """1 for each of `MARKS` that a text in the guard's form bears, else 0."""
    has_han = _HAN.search(plain) is not None
    return np.array([each[has_han].search(plain) is not None for each in _PATTERNS], np.float64)
