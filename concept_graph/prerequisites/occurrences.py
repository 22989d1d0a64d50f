"""Where names stand in the passages of a course: whole words in English, substrings in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import rjieba

from concept_graph.names import singular
from vta.text import normalise, stem
from vta.types import QAPair

Forms = tuple[tuple[str, ...], ...]
"""How a thing may be called. The forms of the first group that occurs at all are counted, all together."""

_TOKEN = re.compile(r"[\u3400-\u9fff\U00020000-\U0002fa1f]|[^\W_\u3400-\u9fff]+(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"['’]s\b")
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
FIRST_HAN = "\u3400"
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A name in a passage, over the tokens `start` to `start + length` of it."""

    passage: int
    start: int
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenText:
    """A course as tokens: English words and Chinese characters.

    `documents[i]` is the number of the document of passage i, counted in reading order from 0.
    """

    passages: tuple[QAPair, ...]
    tokens: tuple[tuple[str, ...], ...]
    documents: tuple[int, ...]


def tokens(text: str) -> tuple[str, ...]:
    """The lower case words of a text, and its Chinese characters one by one; "Dijkstra's" is one word."""
    return tuple(_TOKEN.findall(_POSSESSIVE.sub("", normalise(text))))


def read(passages: Iterable[QAPair]) -> TokenText:
    """The passages in reading order: by document path, numbers in it as numbers, then as given."""
    ordered = sorted(passages, key=lambda pair: _reading_order(pair.document or ""))
    numbers: dict[str | None, int] = {}
    return TokenText(
        passages=tuple(ordered),
        tokens=tuple(tokens(pair.answer) for pair in ordered),
        documents=tuple(numbers.setdefault(pair.document, len(numbers)) for pair in ordered),
    )


def forms(name: str) -> Forms:
    """A name as it is; where that does not occur, without a qualifier at its end: "Graph (mathematics)"."""
    plain = _QUALIFIER.sub("", name)
    return ((name,),) if plain in ("", name) else ((name,), (plain,))


def find(text: TokenText, names: Sequence[Forms]) -> tuple[tuple[Occurrence, ...], ...]:
    """The occurrences of each thing, in reading order; none where it does not occur.

    English words match in singular and plural; a thing that does not occur so is looked for by the stems
    of its words ("sort algorithm" in "sorting algorithms"). Names inside longer names count, except
    Chinese ones that also stand by themselves (树, but not in 二叉树), and so for one Chinese character
    inside a word (图, but not in 图书馆).
    """
    found: list[tuple[Occurrence, ...]] = [()] * len(names)
    for form_of in (_singular, stem):
        sequences = [tuple(map(form_of, each)) for each in text.tokens]
        for group in range(max(map(len, names), default=0)):
            wanted = {n: names[n][group] for n in range(len(names)) if not found[n] and group < len(names[n])}
            for n, occurrences in _search(sequences, wanted, form_of).items():
                found[n] = tuple(occurrences)
    return _stand_alone(text, found)


def _search(
    sequences: Sequence[tuple[str, ...]],
    wanted: dict[int, tuple[str, ...]],
    form_of: Callable[[str], str],
) -> dict[int, list[Occurrence]]:
    by_first: dict[str, dict[tuple[str, ...], list[int]]] = {}
    for n, group in wanted.items():
        for words in {tuple(map(form_of, tokens(form))) for form in group} - {()}:
            by_first.setdefault(words[0], {}).setdefault(words, []).append(n)
    found: dict[int, list[Occurrence]] = {}
    for passage, sequence in enumerate(sequences):
        for start, word in enumerate(sequence):
            for words, owners in by_first.get(word, {}).items():
                if sequence[start : start + len(words)] == words:
                    occurrence = Occurrence(passage=passage, start=start, length=len(words))
                    for n in owners:
                        found.setdefault(n, []).append(occurrence)
    return found


def _stand_alone(
    text: TokenText, found: Sequence[tuple[Occurrence, ...]]
) -> tuple[tuple[Occurrence, ...], ...]:
    """Without the Chinese names inside longer names or words, where the name also stands by itself."""
    reach: dict[tuple[int, int], int] = {}
    for each in (each for occurrences in found for each in occurrences if each.length > 1):
        for at in range(each.start, each.start + each.length):
            place = each.passage, at
            reach[place] = max(reach.get(place, 0), each.length)
    words: dict[int, frozenset[tuple[int, int]]] = {}

    def free(each: Occurrence) -> bool:
        if text.tokens[each.passage][each.start] < FIRST_HAN:
            return True
        if reach.get((each.passage, each.start), 0) > each.length:
            return False
        if each.length > 1:
            return True
        if each.passage not in words:
            words[each.passage] = _words(text.passages[each.passage].answer)
        return (each.start, each.start + 1) in words[each.passage]

    kept = (tuple(filter(free, occurrences)) for occurrences in found)
    return tuple(alone or every for alone, every in zip(kept, found, strict=True))


def _words(answer: str) -> frozenset[tuple[int, int]]:
    """Where the words of a text begin and end, by the segmenter, in tokens."""
    lengths = (len(tokens(word)) for word in rjieba.cut(_POSSESSIVE.sub("", normalise(answer)), False))
    return frozenset(pairwise(accumulate(lengths, initial=0)))


def _singular(word: str) -> str:
    return singular(word) if word.isascii() else word


def _reading_order(path: str) -> tuple[tuple[int, str], ...]:
    parts = _NUMBER.split(path)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)
