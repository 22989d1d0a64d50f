"""How many tokens a text is taken to have, without asking for a model's vocabulary."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.types.language_model import ChatMessage

MESSAGE_TOKENS = 4
"""Tokens that a chat template adds to each message."""

_LETTERS = re.compile(r"[A-Za-z]+")
_BLANKS = re.compile(r"[^\S\n]+")
_A_TOKEN = 4
"""Letters, or blanks, that are one token."""


def estimate_tokens(text: str) -> int:
    """At least as many tokens as the vocabularies of today's models make of prose in Chinese or English.

    Four letters of a run of Latin letters are one token; so is each line break, digit and sign, and a run of
    four blanks (a single blank belongs to its word). A character beyond ASCII is one and a half, rounded up
    over the text; a rare one, outside of the first 65,536, four. Measured against two published vocabularies
    the estimate was never below the count for a text of the project (docs/measured.md). Leaving out a line
    never makes the estimate larger.
    """
    letters, blanks = _LETTERS.findall(text), _BLANKS.findall(text)
    runs = (*letters, *(run for run in blanks if len(run) > 1))
    rest = _BLANKS.sub("", _LETTERS.sub("", text))
    beyond_ascii = len(rest) - len(rest.encode("ascii", "ignore"))
    rare = len(rest.encode("utf-16-le", "surrogatepass")) // 2 - len(rest)
    halves = sum(2 * -(-len(run) // _A_TOKEN) for run in runs)
    halves += 2 * len(rest) + beyond_ascii + 5 * rare
    return -(-halves // 2)


def message_tokens(messages: Sequence[ChatMessage]) -> int:
    """The estimate for messages together, with what a chat template adds to them."""
    return sum(estimate_tokens(message.content) + MESSAGE_TOKENS for message in messages)
