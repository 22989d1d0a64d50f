"""Names with one letter wrong, looked for where no name was found as it is."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice, takewhile

from concept_graph.names import singular, surfaces
from vta.text import HAN, segmenter
from vta.types.concepts import Concept
from vta.types.courses import ConceptId

LONGEST_TEXT = 200
"""Characters; what is longer is no question, and is not looked through."""
MOST_NAMES = 50_000
"""Of one course; among more, every word is near to some name."""
SHORTEST_LATIN, SHORTEST_HAN = 6, 4
"""Characters of a name: of a shorter one, a single letter makes another."""
SHORTEST_CLIPPED, LEAST_CLIPPED = 8, 5
"""Letters that are left of a clipped word, and that are missing."""

_LATIN_NAME = re.compile(r"[a-z][a-z0-9 '-]*[a-z0-9]")
_LATIN_STRETCH = re.compile(rf"(?<![^\W{HAN}])[a-z][a-z0-9 '-]*(?![^\W{HAN}])")
_LATIN_WORD = re.compile(r"[a-z0-9]+")
_HAN = re.compile(rf"[{HAN}]+")
_Match = tuple[Concept, int, int]


class Misspellings:
    """The names of one course with one mistake each.

    In a Latin name (six letters or more) a letter is wrong, missing or too many, or has changed places with
    its neighbour; never the first, and a last one is never another, as in "classified" for "classifier".
    Digits are never wrong. Grammatical number makes no difference. In a Chinese name (four characters or
    more) one character is another, not the first, and stands as a word of its own, as wrong ones do:
    优先对列, but 最大流量 is not 最小流量. A long word clipped by many letters counts too: "backprop" for
    "backpropagation", but not "transform" for "transformer".
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        """Costs about ten entries a name. Where several concepts are as near, none is meant."""
        names: dict[str, dict[ConceptId, Concept]] = {}
        for concept in concepts:
            for form in surfaces(concept):
                names.setdefault(singular(form), {})[concept.id] = concept
        self._names = names if len(names) <= MOST_NAMES else {}
        self._near: dict[str, list[str]] = {}
        for name in self._names:
            for trace in _traces(name):
                self._near.setdefault(trace, []).append(name)
        self._sorted = sorted(name for name in self._names if name.isascii())
        self._han_lengths = {len(name) for name in self._names if _HAN.fullmatch(name)}
        self._most_words = max((len(_LATIN_WORD.findall(name)) for name in self._names), default=0)

    def find(self, text: str) -> list[_Match]:
        """The misspelt names of a normalised text, longest first at each place, in order."""
        if not self._near or len(text) > LONGEST_TEXT:
            return []
        found: list[_Match] = []
        reached = 0
        for start, end in sorted(self._spans(text), key=lambda span: (span[0], -span[1])):
            concept = self._meant(text, start, end) if start >= reached else None
            if concept is not None:
                found.append((concept, start, end))
                reached = end
        return found

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where a misspelt name may stand: whole words in Latin, any characters in Chinese."""
        for stretch in _LATIN_STRETCH.finditer(text):
            words = [each.span() for each in _LATIN_WORD.finditer(text, *stretch.span())]
            for n, (begin, _) in enumerate(words):
                for _, end in words[n : n + self._most_words + 1]:
                    yield begin, end
        for run in _HAN.finditer(text):
            for length in self._han_lengths:
                for begin in range(run.start(), run.end() - length + 1):
                    yield begin, begin + length

    def _meant(self, text: str, start: int, end: int) -> Concept | None:
        """The one concept that the span misspells."""
        written = text[start:end]
        if _HAN.match(written):
            names = self._han_names(text, start, end)
        else:
            names = self._latin_names(written) or self._clipped_names(written)
        meant = {concept.id: concept for name in names for concept in self._names[name].values()}
        return next(iter(meant.values())) if len(meant) == 1 else None

    def _han_names(self, text: str, start: int, end: int) -> set[str]:
        places = range(start + 1, end)
        near = {at: self._near.get(f"{text[start:at]}\0{text[at + 1 : end]}", ()) for at in places}
        return {
            name
            for at, names in near.items()
            for name in names
            if name[at - start] != text[at] and _stands_alone(text, at)
        }

    def _latin_names(self, written: str) -> set[str]:
        written = singular(written)
        traces = (written, *_shorter(written))
        return {name for trace in traces for name in self._near.get(trace, ()) if one_mistake(name, written)}

    def _clipped_names(self, written: str) -> set[str]:
        if len(written) < SHORTEST_CLIPPED or not written.isalpha():
            return set()
        names = islice(self._sorted, bisect_left(self._sorted, written), None)
        longer = takewhile(lambda name: name.startswith(written), names)
        return {name for name in longer if name.isalpha() and len(name) >= len(written) + LEAST_CLIPPED}


def one_mistake(name: str, written: str) -> bool:
    """Whether a Latin name was written with exactly one mistake of those that `Misspellings` allows."""
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


def _traces(name: str) -> Iterator[str]:
    """What is left of a name when a place of it, but the first, is left out; a Chinese one leaves a gap."""
    if _HAN.fullmatch(name) and len(name) >= SHORTEST_HAN:
        yield from (f"{name[:at]}\0{name[at + 1 :]}" for at in range(1, len(name)))
    elif _LATIN_NAME.fullmatch(name) and len(name) >= SHORTEST_LATIN:
        yield name
        yield from _shorter(name)


def _shorter(written: str) -> Iterator[str]:
    return (written[:at] + written[at + 1 :] for at in range(1, len(written)))


def _stands_alone(text: str, place: int) -> bool:
    """Whether the segmenter takes the character for a word by itself."""
    at = 0
    for word in segmenter().cut(text, False):
        if at == place:
            return len(word) == 1
        at += len(word)
    return False
