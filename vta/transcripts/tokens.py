"""How many tokens a text has, without the tokenizer of any one model."""

from __future__ import annotations

import re

_PIECES = re.compile(r"[A-Za-z]+|[0-9]{1,3}|[^\sA-Za-z0-9]")
_LETTERS_A_TOKEN = 4


def count_tokens(text: str) -> int:
    """A count that is meant to be rather too high than too low.

    A word of letters has a token for every four of them or part of it; three digits, a Chinese character and
    every other sign have one. White space has none.
    """
    return sum(
        -(-len(piece) // _LETTERS_A_TOKEN) if piece.isascii() and piece.isalpha() else 1
        for piece in _PIECES.findall(text)
    )
