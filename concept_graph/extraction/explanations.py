"""The sentence of a course that explains a concept best, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from concept_graph.defining import DefiningSentences
from concept_graph.definitions import MAX_DEFINITION, sentences
from concept_graph.heading_names import heading_name
from concept_graph.names import name_key
from vta.text import normalise
from vta.types import QAPair

SHORTEST, GOOD_LENGTH = 8, 160
"""Characters: a shorter sentence says little, a longer one more than what the thing is."""
LEAST = 1.0
"""A sentence that scores less explains nothing."""
_GENUS = re.compile(
    r"一[种类个棵条组]|\b(?:kind|type|form|method|structure|process|way|set|algorithm|technique)s?\b|遵循|用于",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"这|那|此时|上述|上面|下面|上图|如图|因此|所以|然而|但|例如|同样|"
    r"\b(?:this|these|that|those|above|following|figure|therefore|however|but|also|for example|same)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"前面介绍|前文|上文|上述|上一[章节]|\b(?:earlier|previously|above|previous (?:section|chapter))\b",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")


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

    A sentence is scored by how plainly it explains (`concept_graph.defining`), more under a heading of the
    concept and where it names a kind, less where it is too short or long or points to what stands around it.
    The first of equally good ones is taken. The place and an empty text are what a concept has that no
    sentence explains but a heading names.
    """
    defining = DefiningSentences(names)
    headings: dict[tuple[str, ...], frozenset[str]] = {}
    best: dict[str, Explanation] = {}
    seen: set[tuple[tuple[str, ...], int]] = set()
    for passage, text in texts:
        above = passage.locator.heading_path or (passage.question,)
        if above not in headings:
            headings[above] = _named_by(above, defining)
        for key in headings[above] - best.keys():
            best[key] = Explanation("", passage, 0.0)
        for sentence in sentences(text):
            mark = hash(_DIGITS.sub("0", sentence))
            if len(sentence) > MAX_DEFINITION or (above, mark) in seen:
                continue
            seen.add((above, mark))
            found = defining.explained(sentence)
            for key, plainness in found:
                score = plainness + _worth(sentence) + 1.0 * (key in headings[above])
                if score >= LEAST and (key not in best or score > best[key].score):
                    best[key] = Explanation(sentence.lstrip("-*+>| "), passage, score)
    return best


def _worth(sentence: str) -> float:
    worth = 0.7 * bool(_GENUS.search(sentence)) - 1.0 * bool(_POINTING.match(sentence))
    worth -= 5.0 * bool(_ELSEWHERE.search(sentence))
    return worth - 1.0 * (not SHORTEST <= len(sentence) <= GOOD_LENGTH)


def _named_by(headings: tuple[str, ...], defining: DefiningSentences) -> frozenset[str]:
    named = (heading_name(heading) for heading in headings[-2:])
    spelled = [name for each in named if each for name in (normalise(each.name), name_key(each.name))]
    return frozenset(key for name in spelled if (key := defining.owner(name)))
