"""NER(q): the concepts of a text by dictionary match over names and aliases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from operator import itemgetter

import ahocorasick_rs

from concept_graph.homophones import Homophones
from concept_graph.misspellings import Match, Misspellings
from concept_graph.names import plural, respelt, singular, surfaces
from vta.kinds import Kind, kinds_of
from vta.text import normalise, segmenter, word_list
from vta.types.concepts import Concept, Mention
from vta.types.courses import ConceptId, Course, CourseId

_Owners = Concept | tuple[Concept, ...]
_BREAK, _JOINED, _LATIN, _HAN = range(4)
_CAPITALS = re.compile("[A-Z]{2,}")


class DictionaryLinker:
    """Finds the names and aliases of concepts in a text; implements `vta.ports.ConceptLinker`.

    A course sees its own concepts and those of courses that lend it theirs, as far as they share a domain;
    where both have a name, its own is meant. English names match as whole words, in
    singular and plural, abbreviations that are function words (AS) only where the text has them in
    capitals. Chinese names need no space around them but must respect the words of the segmenter
    (see `_Words`). Of a name inside a longer one only the longer is found. Misspelt names of the course's own
    concepts are found, too: Chinese ones (see `Homophones`), and others where nothing else or a part of
    them is (see `Misspellings`). Safe to share between threads.
    """

    def __init__(self, concepts: Iterable[Concept], *, courses: Sequence[Course] | None = None) -> None:
        """`courses` are those that may lend; without them every course lends.

        Takes about a second for 100,000 names, and holds little beside the concepts and the automaton.
        """
        self._courses = courses
        self._of_course: dict[CourseId, list[Concept]] = {}
        self._domains: dict[str, str] = {}
        kept = []
        for concept in concepts:
            kept.append(concept)
            for course_id in concept.courses:
                self._of_course.setdefault(course_id, []).append(concept)
            for domain in concept.domains:
                if domain not in self._domains:
                    self._domains[domain] = normalise(domain)
        owners = _owners(kept)
        self._owners: tuple[_Owners, ...] = tuple(owners.values())
        self._find = ahocorasick_rs.AhoCorasick(
            owners,
            implementation=ahocorasick_rs.Implementation.ContiguousNFA,
            store_patterns=False,
        ).find_matches_as_indexes
        self._shared: dict[tuple[tuple[str, ...], bool], _SharedConcepts] = {}
        self._misspellings: dict[CourseId, tuple[Misspellings, Homophones]] = {}

    def link(self, text: str, *, course: Course) -> tuple[Mention, ...]:
        """Mentions in order of appearance, longest match first, each concept once.

        `start:end` and `surface` are of `normalise(text)`. Time grows with the text alone.
        """
        written, text = text, normalise(text)
        mentions: dict[ConceptId, Mention] = {}
        found = self._matches(text, course, written)
        misspelt = self._misspelt(text, found, course)
        for match in sorted(found + misspelt, key=itemgetter(1)):
            concept, start, end = match
            if concept.id not in mentions and not any(_within(match, each) for each in misspelt):
                mentions[concept.id] = Mention(
                    concept=concept,
                    start=start,
                    end=end,
                    surface=text[start:end],
                    is_misspelt=match in misspelt,
                )
        return tuple(mentions.values())

    def _matches(self, text: str, course: Course, written: str) -> list[Match]:
        """The longest match at the first place that has one, and so on after its end."""
        words, shared = _Words(text), self._shared_with(course)
        reached, found = 0, []
        every = self._find(text, overlapping=True)
        for index, start, end in sorted(every, key=lambda match: (match[1], -match[2])):
            if start >= reached:
                concept = _meant(self._owners[index], course.id, shared)
                if (
                    concept is not None
                    and words.admit(start, end)
                    and _is_written(concept, text[start:end], written)
                ):
                    found.append((concept, start, end))
                    reached = end
        return found

    def _misspelt(self, text: str, found: list[Match], course: Course) -> list[Match]:
        """The misspelt names: those longer than one found, a Chinese one beside it, others where none is."""
        own = self._of_course.get(course.id)
        if not own or not text:
            return []
        if course.id not in self._misspellings:
            self._misspellings[course.id] = Misspellings(own), Homophones(own)
        letters, characters = self._misspellings[course.id]
        near = characters.find(text)
        is_beside = not found or (len(found) == 1 and Kind.DIFFERENCE in kinds_of(text))
        near += [each for each in letters.find(text) if is_beside or any(_within(one, each) for one in found)]
        return [each for each in near if all(_apart(each, one) or _within(one, each) for one in found)]

    def _shared_with(self, course: Course) -> _SharedConcepts:
        """What other courses lend to a course."""
        key = course.domains, course.takes_concepts
        if key not in self._shared:
            of_course = set(map(normalise, course.domains))
            written = (domain for domain, plain in self._domains.items() if plain in of_course)
            sharing = None
            if self._courses is not None:
                sharing = frozenset(each.id for each in self._courses if each.shares_with(course))
            self._shared[key] = _SharedConcepts(frozenset(written), sharing)
        return self._shared[key]


@dataclass(frozen=True, slots=True)
class _SharedConcepts:
    """The concepts of these domains, as they are written there, of these courses; None for all courses."""

    domains: frozenset[str]
    sharing: frozenset[CourseId] | None

    def holds(self, concept: Concept) -> bool:
        is_shared = self.sharing is None or not self.sharing.isdisjoint(concept.courses)
        return is_shared and not self.domains.isdisjoint(concept.domains)


class _Words:
    """Where names may begin and end in one normalised text.

    An English end of a name stands at the end of a word. A Chinese name of one character must be a word of
    its own (图, but not in 图书馆); a longer one may not begin inside one word and end inside another
    (数组, but not in 参数组成).
    """

    __slots__ = ("_cuts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._cuts: frozenset[int] | None = None

    def admit(self, start: int, end: int) -> bool:
        text = self.text
        before = _kind(text[start - 1]) if start else _BREAK
        after = _kind(text[end]) if end < len(text) else _BREAK
        first, last = _kind(text[start]), _kind(text[end - 1])
        if first == _LATIN == before:
            return False
        if last == _LATIN and (after == _LATIN or (after == _JOINED and text.startswith(("++", "#"), end))):
            return False
        if _HAN not in (first, last):
            return True
        if end - start > 1 and _BREAK in (before, after):
            return True  # the segmenter cuts there
        return self._respects_words(start, end)

    def _respects_words(self, start: int, end: int) -> bool:
        cuts = self._cuts
        if cuts is None:
            cuts = self._cuts = frozenset(accumulate(map(len, segmenter().cut(self.text, False)), initial=0))
        if end - start == 1:
            return start in cuts and end in cuts
        return start in cuts or end in cuts or cuts.isdisjoint(range(start + 1, end))


def _within(match: Match, other: Match) -> bool:
    """Whether the second holds the first and more of the text."""
    return other[1] <= match[1] and match[2] <= other[2] and match[1:] != other[1:]


def _apart(match: Match, other: Match) -> bool:
    return match[2] <= other[1] or other[2] <= match[1]


def _owners(concepts: Iterable[Concept]) -> dict[str, _Owners]:
    """The concepts that each surface may mean, closest first: by name, by alias, by its other number."""
    first: dict[str, Concept] = {}
    several: dict[str, list[Concept]] = {}
    for concept in concepts:
        for surface in _forms(concept):
            known = first.setdefault(surface, concept)
            if known is not concept:
                several.setdefault(surface, [known]).append(concept)
    owners: dict[str, _Owners] = dict(first)
    for surface, found in several.items():
        ranked = sorted((_closeness(each, surface), -each.score, each.id, n) for n, each in enumerate(found))
        owners[surface] = tuple(found[n] for *_, n in ranked)
    return owners


def _forms(concept: Concept) -> Iterable[str]:
    """Each surface of the concept, English ones in singular and plural and however they are hyphenated."""
    exact = surfaces(concept)
    forms = dict.fromkeys(exact)
    for form in exact:
        forms.update(dict.fromkeys(respelt(form)))
    for form in tuple(forms):
        if "a" <= form[-1] <= "z":
            one = singular(form)
            forms.setdefault(one)
            forms.setdefault(plural(one))
    return forms


def _closeness(concept: Concept, surface: str) -> int:
    exact = surfaces(concept)
    return exact.index(surface) > 0 if surface in exact else 2


def _is_written(concept: Concept, surface: str, written: str) -> bool:
    """Whether a name is more than a word of every sentence: AS, aggregate supply, is not meant by "as"."""
    if surface not in _function_words():
        return True
    small = (normalise(name) for name in (concept.name, *concept.aliases) if not name.isupper())
    return surface in small or surface.upper() in _CAPITALS.findall(written)


@cache
def _function_words() -> frozenset[str]:
    return frozenset(word_list("function_words_en"))


def _meant(owners: _Owners, course_id: CourseId, shared: _SharedConcepts) -> Concept | None:
    """The course's own concept first, else one that is lent to it."""
    if isinstance(owners, Concept):
        return owners if course_id in owners.courses or shared.holds(owners) else None
    for concept in owners:
        if course_id in concept.courses:
            return concept
    return next(filter(shared.holds, owners), None)


@cache
def _kind(character: str) -> int:
    """Chinese; part of a word that has spaces around it; else by whether the segmenter always cuts there."""
    if "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff":
        return _HAN
    if character == "_" or character.isalnum():
        return _LATIN
    if character in "+#&.%-" or not character.isascii():
        return _JOINED
    return _BREAK
