"""A question with the names of concepts spelt as the course spells them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vta.text import normalise, stem
from vta.types import Mention

_WORD = re.compile(r"\w+")


def correct(text: str, mentions: Sequence[Mention]) -> str:
    """The text with misspelt names put right; the text as it is where every name is one of its concept's.

    `mentions` are what the linker found in it. Hyphens, spaces and grammatical number make no mistake.
    """
    wrong = [each for each in mentions if _key(each.surface) not in map(_key, _names(each))]
    if not wrong:
        return text
    plain = normalise(text)
    for mention in sorted(wrong, key=lambda each: -each.start):
        right = min(_names(mention), key=lambda name: _distance(name, mention.surface))
        plain = plain[: mention.start] + right + plain[mention.end :]
    return plain


def _names(mention: Mention) -> tuple[str, ...]:
    return mention.concept.name, *mention.concept.aliases


def _key(name: str) -> str:
    return "".join(map(stem, _WORD.findall(normalise(name))))


def _distance(name: str, written: str) -> int:
    """How many letters at most one of the two has more often: enough to tell names one mistake away."""
    name = normalise(name)
    return sum(abs(name.count(letter) - written.count(letter)) for letter in {*name, *written})
