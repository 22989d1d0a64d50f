"""Passages that a teacher switched off: kept beside those that answer, and known by what they say.

`pairs` of a stored document are those that answer, so whatever reads them sees no others. `held` are the
others, each with its place among all; `switched_off` the digests of their texts, which stay when a later
version of the file lacks a text, so that it is off again where it comes back.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from vta.types import Source

Pair = Mapping[str, Any]
"""A pair as it is stored."""
Held = Sequence[tuple[int, Pair]]
_LINK = re.compile(r"\]\([^)\s]*\)")


def digest_of(pair: Pair) -> str:
    """What a passage is known by in its file: its text, of an FAQ row the question too."""
    said = pair["answer"]
    if pair["source"] == Source.FAQ:
        said = f"{pair['question']}\x1f{said}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def all_pairs(pairs: Iterable[Pair], held: Held) -> list[Pair]:
    """Those that answer and those that are held back, in the order of the file."""
    whole = list(pairs)
    for at, pair in held:
        whole.insert(at, pair)
    return whole


def hold_back(whole: Iterable[Pair], switched_off: Collection[str]) -> dict[str, Any]:
    """The three columns of a document of which these texts are switched off."""
    pairs, held = list[Pair](), list[tuple[int, Pair]]()
    for at, pair in enumerate(whole):
        if switched_off and digest_of(pair) in switched_off:
            held.append((at, pair))
        else:
            pairs.append(pair)
    return {"pairs": pairs, "held": held, "switched_off": sorted(switched_off)}


class HeldTexts:
    """The texts that are switched off in a document, to know an explanation that is taken from them."""

    def __init__(self, held: Iterable[Pair]) -> None:
        found = tuple(held)
        self._texts = tuple(_letters(pair["answer"]) for pair in found)
        self._places = frozenset(_place(pair.get("locator", {})) for pair in found)

    def hold(self, definition: str, place: Mapping[str, Any] | None = None) -> bool:
        """Whether the words are taken from them; of an explanation in other words, whether its place is."""
        said = _letters(definition)
        is_there = place is not None and _place(place) in self._places
        return bool(said) and (is_there or any(said in text for text in self._texts))


def _place(locator: Mapping[str, Any]) -> str:
    """A locator as it is compared, whether it was stored or not."""
    return json.dumps({name: value for name, value in locator.items() if value}, sort_keys=True)


def _letters(text: str) -> str:
    """What is read of a text: letters and digits, without the targets of links."""
    return "".join(filter(str.isalnum, _LINK.sub("]", text).casefold()))
