"""The sentence of a course that explains a concept best, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from concept_graph.definitions import MAX_DEFINITION, defines, defining_pattern, sentences
from concept_graph.extraction.runs import HAN
from concept_graph.heading_names import heading_name
from concept_graph.names import inflections, name_key
from vta.text import normalise
from vta.types import QAPair

SHORTEST, GOOD_LENGTH = 8, 160
"""Characters: a shorter sentence says little, a longer one more than what the thing is."""

_OPENING = re.compile(r"[-*+>\s|]*(?:所谓的?|an?\s|the\s)?[\"'“‘「『]?", re.IGNORECASE)
_CALLED = re.compile(
    r"(?:称之?为|称作|叫[作做]|名为|\b(?:is|are)\s+(?:called|known\s+as|termed)\s+(?:an?\s|the\s)?)\s*[\"'“‘「『]?",
    re.IGNORECASE,
)
_COLON = re.compile(rf"\s*(?:[(（][^()（）]*[)）])?\s*[：:]\s*[{HAN}\w]")
_GENUS = re.compile(
    r"一[种类个棵条组]|\b(?:kind|type|form|method|structure|process|way|set)s?\s+(?:of|that)\b|遵循|用于",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Explanation:
    """A sentence, the passage it stands in, and how good an explanation it is."""

    text: str
    passage: QAPair
    score: float


def explain(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> dict[str, Explanation]:
    """The best explanation of each concept that has any; `names` are those of each concept by its key.

    A sentence explains what it opens with ("X 是一种…", "X is a…"), less well what it sets off with a colon,
    and less well again what it ends by naming ("…称为 X"). One under a heading of the concept is better.
    The first of equally good ones is taken. The place and an empty text are what a concept has that no
    sentence explains but a heading names.
    """
    owner: dict[str, str] = {}
    spellings: dict[str, frozenset[str]] = {}
    for key, forms in names.items():
        every = {each for form in forms for each in (form, *inflections(normalise(form)))}
        spellings[key] = frozenset(every)
        for each in sorted(every):
            owner.setdefault(normalise(each), key)
    headings: dict[tuple[str, ...], frozenset[str]] = {}
    best: dict[str, Explanation] = {}
    seen: set[tuple[tuple[str, ...], int]] = set()
    for passage, text in texts:
        above = passage.locator.heading_path or (passage.question,)
        if above not in headings:
            headings[above] = _named_by(above, owner)
        for key in headings[above] - best.keys():
            best[key] = Explanation("", passage, 0.0)
        for sentence in sentences(text):
            mark = hash(_DIGITS.sub("0", sentence))
            if len(sentence) > MAX_DEFINITION or (above, mark) in seen:
                continue
            seen.add((above, mark))
            for key, score in _explained(sentence, owner, spellings):
                score += 1.0 * (key in headings[above]) + 0.7 * bool(_GENUS.search(sentence))
                score -= 1.0 * (not SHORTEST <= len(sentence) <= GOOD_LENGTH)
                if key not in best or score > best[key].score:
                    best[key] = Explanation(sentence.lstrip("-*+>| "), passage, score)
    return best


def _explained(
    sentence: str, owner: Mapping[str, str], spellings: Mapping[str, frozenset[str]]
) -> list[tuple[str, float]]:
    plain = sentence.lstrip("-*+>| ")
    found = []
    start = _OPENING.match(plain)
    begin = start.end() if start else 0
    for end, key in _names_at(plain, begin, owner):
        if defines(defining_pattern(spellings[key]), plain):
            found.append((key, 3.0))
        elif _COLON.match(plain[end:].lstrip("\"'”’」』")):
            found.append((key, 2.0))
    for called in _CALLED.finditer(plain):
        longest = max(_names_at(plain, called.end(), owner), default=None)
        if longest and called.start() >= SHORTEST:
            found.append((longest[1], 1.5))
    return found


def _names_at(text: str, start: int, owner: Mapping[str, str]) -> list[tuple[int, str]]:
    """(end, key) of each name that stands at a place of the text, as a word of its own."""
    piece = text[start : start + _LONGEST_NAME].lower()
    found = []
    for length in range(1, len(piece) + 1):
        key = owner.get(piece[:length])
        after = piece[length : length + 1]
        if key and not (after.isascii() and after.isalnum() and piece[length - 1].isascii()):
            found.append((start + length, key))
    return found


def _named_by(headings: tuple[str, ...], owner: Mapping[str, str]) -> frozenset[str]:
    named = (heading_name(heading) for heading in headings[-2:])
    spelled = [name for each in named if each for name in (normalise(each.name), name_key(each.name))]
    return frozenset(owner[name] for name in spelled if name in owner)
