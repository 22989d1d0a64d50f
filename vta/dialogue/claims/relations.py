"""What stands on the two sides of words such as "than", "before" and "leads to"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vta.dialogue.claims.cues import CUES, OPPOSITES, RELATIONS
from vta.text import Analyser, normalise

_COMPARING = 3
"""How many of the pairs of opposites stand in comparisons (cues.toml)."""

_NEAR = 4
_SIZES = "大小高低多少快慢早晚优劣强弱长短好差重轻"
_HAN_SIZE = re.compile(rf"[{_SIZES}](?=[的得了]|一些|一点|很多|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Two sides of a word such as "than": the words that stand before and behind it.

    `sign` is -1 where the word or its comparative has the opposite sense ("after", "less ... than").
    """

    family: str
    sign: int
    left: frozenset[str]
    right: frozenset[str]


def read_relations(sentence: str, analyser: Analyser) -> tuple[Relation, ...]:
    """The relations of a sentence, the first of each family; one that is denied is left out."""
    text = normalise(sentence)
    found: dict[str, tuple[re.Match[str], int]] = {}
    for family, sign, pattern in RELATIONS:
        for match in pattern.finditer(text):
            if CUES["negation"].search(text[max(0, match.start() - 4) : match.start()]):
                continue
            if family not in found or match.start() < found[family][0].start():
                found[family] = match, sign
            break
    return tuple(_sides(text, family, match, sign, analyser) for family, (match, sign) in found.items())


def _sides(text: str, family: str, match: re.Match[str], sign: int, analyser: Analyser) -> Relation:
    before = _last_with_words(re.split(r"[,;:](?=\D)", text[: match.start()]), analyser)
    behind = re.split(r"[,;。](?!\d)|\.(?!\d)|\band\b", text[match.end() :])[0]
    return Relation(
        family=family,
        sign=sign * _comparative(before, behind, match.group()) if family == "comparison" else sign,
        left=frozenset(analyser.words(before)),
        right=frozenset(analyser.words(behind)),
    )


def _last_with_words(pieces: Sequence[str], analyser: Analyser) -> str:
    """The last piece that says something: "so" alone does not."""
    return next((each for each in reversed(pieces) if len(set(analyser.content_words(each))) > 1), pieces[0])


def _comparative(before: str, behind: str, pivot: str) -> int:
    """-1 where the comparative says less ("slower than", "比...少"), else 1."""
    if not pivot.isascii():
        size = before[-1:] if pivot == "于" else "".join(_HAN_SIZE.findall(behind.strip(" .!?。"))[:1])
        return -1 if size and _SIZES.find(size) % 2 else 1
    near = " ".join(before.split()[-_NEAR:])
    turned = sum(len(minus.findall(near)) for _, minus in OPPOSITES[:_COMPARING])
    return -1 if turned % 2 else 1
