"""Chinese names with one character wrong that sounds like the right one, as an input method offers it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import accumulate, pairwise

from concept_graph.misspellings import LONGEST_TEXT, Match, find_meant, owners
from concept_graph.names import surfaces
from vta.text import HAN, segmenter, word_list
from vta.types.concepts import Concept

SHORTEST = 3
"""Characters of a name: of a shorter one, another character makes another word."""
_NAME = re.compile(f"[{HAN}]{{{SHORTEST},12}}")
_SUFFIXES = "性型式"
"""Each makes another word, as in 交易性 and 交易型."""


class Homophones:
    """The Chinese names of one course with one character in place of another that sounds alike.

    The segmenter must cut at both ends of the name, and the wrong character must not form a word there: in
    质数函数 there is no 指数函数, in 函数是 no 函数式.
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        named = ((form, concept) for concept in concepts for form in surfaces(concept))
        self._names = owners((form, concept) for form, concept in named if _NAME.fullmatch(form))
        self._near: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name in self._names:
            for at in range(len(name)):
                self._near[name[:at], name[at + 1 :]].append(name)
        self._lengths = sorted({len(name) for name in self._names}, reverse=True)

    def find(self, text: str) -> list[Match]:
        """The names of a normalised text with one such mistake, longest first at each place, in order."""
        if not self._names or len(text) > LONGEST_TEXT:
            return []
        cuts = [*accumulate(map(len, segmenter().cut(text, False)), initial=0)]
        return find_meant(
            self._spans(text, cuts), lambda start, end: self._near_to(text, start, end, cuts), self._names
        )

    def _spans(self, text: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
        ends = {*cuts}
        for start in cuts:
            for length in self._lengths:
                if start + length in ends and _NAME.fullmatch(text, start, start + length):
                    yield start, start + length

    def _near_to(self, text: str, start: int, end: int, cuts: list[int]) -> Iterator[str]:
        """The names that are written so."""
        for at in range(start, end):
            for name in self._near.get((text[start:at], text[at + 1 : end]), ()):
                if _sound_alike(text[at], name[at - start]) and _is_odd(text, at, (start, end), cuts):
                    yield name


def _is_odd(text: str, at: int, span: tuple[int, int], cuts: list[int]) -> bool:
    """True where the segmenter found no word for a character.

    A word is a function word at an end of the span, a suffix, a word of two characters, or the span itself.
    """
    first, last = next((start, end) for start, end in pairwise(cuts) if start <= at < end)
    if last - first == 1:
        is_word = text[at] in _function_words() and at in (span[0], span[1] - 1)
        return not is_word and text[at] not in _SUFFIXES
    return last - first > 3 or (last - first == 3 and (first, last) != span)


def _sound_alike(one: str, other: str) -> bool:
    sounds = _sounds()
    return one != other and not sounds.get(one, frozenset()).isdisjoint(sounds.get(other, ()))


@cache
def _sounds() -> Mapping[str, frozenset[int]]:
    """The lines of the list in which a character stands."""
    lines: dict[str, frozenset[int]] = {}
    for number, line in enumerate(word_list("homophones_zh")):
        for character in line:
            lines[character] = lines.get(character, frozenset()) | {number}
    return lines


@cache
def _function_words() -> frozenset[str]:
    return frozenset(word_list("function_words_zh"))
