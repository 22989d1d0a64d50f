"""English names with one letter wrong, looked for where no name was found as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from concept_graph.names import singular, surfaces
from vta.text import HAN
from vta.types.concepts import Concept
from vta.types.courses import ConceptId

LONGEST_TEXT = 200
"""Characters; what is longer is no question, and is not looked through."""
MOST_NAMES = 50_000
"""Of one course; among more, every word is near to some name."""
SHORTEST = 6
"""Characters of a name: of a shorter one, a single letter makes another."""

_NAME = re.compile(rf"[a-z][a-z0-9 '-]{{{SHORTEST - 2},}}[a-z0-9]")
_STRETCH = re.compile(rf"(?<![^\W{HAN}])[a-z][a-z0-9 '-]*(?![^\W{HAN}])")
_WORD = re.compile(r"[a-z0-9]+")
Match = tuple[Concept, int, int]
Owners = Mapping[str, Mapping[ConceptId, Concept]]


class Misspellings:
    """The English names of one course with one mistake each.

    A letter is wrong, missing or too many, or has changed places with its neighbour; never the first, and a
    last one is never another, as in "classified" for "classifier". Digits are never wrong. Grammatical number
    makes no difference.
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        """Costs about ten entries a name. Where several concepts are as near, none is meant."""
        named = ((singular(form), concept) for concept in concepts for form in surfaces(concept))
        self._names = owners((form, concept) for form, concept in named if _NAME.fullmatch(form))
        self._near = traces(self._names)
        self._most_words = max((len(_WORD.findall(name)) for name in self._names), default=0)

    def find(self, text: str) -> list[Match]:
        """The misspelt names of a normalised text, longest first at each place, in order."""
        if not self._near or len(text) > LONGEST_TEXT:
            return []
        spans = sorted(self._spans(text), key=lambda span: (span[0], -span[1]))
        return find_meant(spans, lambda start, end: self._near_to(text[start:end]), self._names)

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a misspelt name may stand: one word more than a name has, where it was written in two."""
        for stretch in _STRETCH.finditer(text):
            words = [each.span() for each in _WORD.finditer(text, *stretch.span())]
            for n, (begin, _) in enumerate(words):
                for _, end in words[n : n + self._most_words + 1]:
                    yield begin, end

    def _near_to(self, written: str) -> Iterator[str]:
        """The names that are misspelt so."""
        written = singular(written)
        near = {name for trace in (written, *shorter(written)) for name in self._near.get(trace, ())}
        return (name for name in near if one_mistake(name, written))


def owners(named: Iterable[tuple[str, Concept]]) -> Owners:
    """The concepts of each name; of more than `MOST_NAMES` none."""
    found: dict[str, dict[ConceptId, Concept]] = {}
    for name, concept in named:
        found.setdefault(name, {})[concept.id] = concept
    return found if len(found) <= MOST_NAMES else {}


def find_meant(
    spans: Iterable[tuple[int, int]], near: Callable[[int, int], Iterable[str]], names: Owners
) -> list[Match]:
    """The spans of which the names near to them have one owner; each begins after the end of the last."""
    found: list[Match] = []
    for start, end in spans:
        if not found or start >= found[-1][2]:
            meant = {id: each for name in near(start, end) for id, each in names[name].items()}
            if len(meant) == 1:
                (concept,) = meant.values()
                found.append((concept, start, end))
    return found


def one_mistake(name: str, written: str) -> bool:
    """Whether a name was written with exactly one mistake of those that `Misspellings` allows."""
    same = 0
    while same < min(len(name), len(written)) and name[same] == written[same]:
        same += 1
    wrong, right = written[same:], name[same:]
    if not same or not (wrong or right):
        return False
    if wrong and right and wrong[1:] == right[1:]:
        mistake = wrong[0] + right[0]
        if len(right) == 1:
            return False
    elif wrong[1:] == right:
        mistake = wrong[0]
    elif wrong == right[1:]:
        mistake = right[0]
    elif wrong[:2] == right[1::-1] and wrong[2:] == right[2:]:
        mistake = wrong[:2]
    else:
        return False
    return not any(map(str.isdigit, mistake))


def traces(names: Iterable[str]) -> dict[str, list[str]]:
    """The names by themselves and by what is `shorter`."""
    near: dict[str, list[str]] = {}
    for name in names:
        for trace in (name, *shorter(name)):
            near.setdefault(trace, []).append(name)
    return near


def shorter(written: str) -> Iterator[str]:
    """What is left of a text when one place of it, but the first, is left out."""
    return (written[:at] + written[at + 1 :] for at in range(1, len(written)))
