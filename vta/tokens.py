"""How many tokens a text is taken to have, without asking for a model's vocabulary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.types.language_model import ChatMessage

MESSAGE_TOKENS = 4
"""What a chat template adds to each message: its role and the marks around it."""

_UNIT = re.compile(r"(?P<letters>[A-Za-z]+)|(?P<blanks>[^\S\n]{2,})|(?P<blank>[^\S\n])|(?P<rest>[\s\S])")
_LETTERS = 4
_BLANKS = 4


def estimate_tokens(text: str) -> int:
    """At least as many tokens as the vocabularies of today's models make of prose in Chinese or English.

    Four letters of a run of Latin letters are one token; so is each line break, digit and sign, and a run of
    four blanks (a single blank belongs to its word). A character beyond ASCII is one and a half, rounded up
    over the text; a rare one, outside of the first 65,536, four. Measured against two published vocabularies
    the estimate was never below the count for a text of the project (docs/measured.md). Leaving out a line
    never makes the estimate larger.
    """
    halves = 0
    for unit in _UNIT.finditer(text):
        kind, run = unit.lastgroup, unit.group()
        if kind == "letters":
            halves += 2 * -(-len(run) // _LETTERS)
        elif kind == "blanks":
            halves += 2 * -(-len(run) // _BLANKS)
        elif kind == "rest":
            halves += 2 if run.isascii() else 3 if ord(run) < 0x10000 else 8
    return -(-halves // 2)


def message_tokens(messages: Sequence[ChatMessage]) -> int:
    """The estimate for messages together, with what a chat template adds to them."""
    return sum(estimate_tokens(message.content) + MESSAGE_TOKENS for message in messages)
