"""NER(q): the concepts of a text by dictionary match over names and aliases."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import ahocorasick_rs
import rjieba

from concept_graph.names import inflections, surfaces
from vta.text import normalise
from vta.types import Concept, ConceptId, Course, Mention

_NAME, _ALIAS, _INFLECTED = range(3)
_Owner = tuple[int, Concept]


class DictionaryLinker:
    """Finds the names and aliases of concepts in a text; implements `vta.ports.ConceptLinker`.

    A course sees its own concepts and those of other courses with which it shares a domain; where both
    have a name, its own is meant. English names match as whole words, in singular and plural; Chinese
    names need no space around them but must respect the words of the segmenter (see `_Words`).
    """

    def __init__(self, concepts: Iterable[Concept]) -> None:
        owners: dict[str, list[_Owner]] = {}
        for concept in concepts:
            for surface, kind in _forms(concept).items():
                owners.setdefault(surface, []).append((kind, concept))
        self._owners = tuple(tuple(sorted(each, key=_closest)) for each in owners.values())
        self._automaton = ahocorasick_rs.AhoCorasick(list(owners))

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        """Mentions in order of appearance, longest match first, each concept once.

        `start:end` and `surface` are of `normalise(text)`.
        """
        text = normalise(text)
        words = _Words(text)
        domains = frozenset(map(normalise, course.domains))
        found = self._automaton.find_matches_as_indexes(text, overlapping=True)
        mentions: dict[ConceptId, Mention] = {}
        reached = 0
        for index, start, end in sorted(found, key=lambda match: (match[1], -match[2])):
            if start < reached or not words.admit(start, end):
                continue
            concept = _meant(self._owners[index], course, domains)
            if concept is not None:
                reached = end
                mention = Mention(concept=concept, start=start, end=end, surface=text[start:end])
                mentions.setdefault(concept.id, mention)
        return tuple(mentions.values())


class _Words:
    """Where names may begin and end in one normalised text.

    An English end of a name stands at the end of a word. A Chinese name of one character must be a word of
    its own (图, but not in 图书馆); a longer one may not begin inside one word and end inside another
    (数组, but not in 参数组成).
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._cuts: list[int] | None = None

    def admit(self, start: int, end: int) -> bool:
        text = self._text
        if _is_latin(text[start]) and start > 0 and _is_latin(text[start - 1]):
            return False
        if _is_latin(text[end - 1]) and (
            (end < len(text) and _is_latin(text[end])) or text.startswith(("++", "#"), end)
        ):
            return False
        return not any(map(_is_han, (text[start], text[end - 1]))) or self._respects_words(start, end)

    def _respects_words(self, start: int, end: int) -> bool:
        if self._cuts is None:
            self._cuts = list(accumulate(map(len, rjieba.cut(self._text, False)), initial=0))
        after = bisect_right(self._cuts, start)
        begins = self._cuts[after - 1] == start
        if end - start == 1:
            return begins and self._cuts[after] == end
        inside_one_word = self._cuts[after] >= end
        return begins or inside_one_word or self._cuts[bisect_left(self._cuts, end)] == end


def _forms(concept: Concept) -> dict[str, int]:
    """Each surface of the concept with how closely it is the concept's own."""
    exact = surfaces(concept)
    forms = {form: _NAME if n == 0 else _ALIAS for n, form in enumerate(exact)}
    for form in exact:
        for inflected in sorted(inflections(form)):
            forms.setdefault(inflected, _INFLECTED)
    return forms


def _closest(owner: _Owner) -> tuple[int, float, str]:
    kind, concept = owner
    return kind, -concept.score, concept.id


def _meant(owners: Sequence[_Owner], course: Course, domains: frozenset[str]) -> Concept | None:
    """The course's own concept first, else one of another course that shares a domain."""
    for _, concept in owners:
        if course.id in concept.courses:
            return concept
    for _, concept in owners:
        if not domains.isdisjoint(map(normalise, concept.domains)):
            return concept
    return None


def _is_han(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


def _is_latin(character: str) -> bool:
    """Whether the character continues a word that is written with spaces around it."""
    return character == "_" or (character.isalnum() and not _is_han(character))
