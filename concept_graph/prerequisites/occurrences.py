"""Where names stand in the passages of a course: whole words in English, substrings in Chinese."""

from __future__ import annotations

import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from concept_graph.names import singular
from vta.text import FIRST_HAN, HAN, normalise, segmenter, stem
from vta.types.pairs import QAPair

Places = NDArray[np.int64]
Forms = tuple[tuple[str, ...], ...]
"""How a thing may be called. The forms of the first group that occurs at all are counted, all together."""

_TOKEN = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"['’]s\b")
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenText:
    """A course as tokens: English words and Chinese characters.

    `offsets[i]` is how many tokens are before passage i, its last entry how many there are. `ordered` tells
    that the author chose this order: there is one document, or most paths hold a number.
    """

    passages: tuple[QAPair, ...]
    tokens: tuple[tuple[str, ...], ...]
    offsets: Places
    ordered: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Occurrences:
    """Where a name stands, in reading order: its first token in the course, tokens, number of the passage.

    With `whole` all of the name stands there, and not a part of it.
    """

    places: Places
    lengths: Places
    passages: Places
    whole: bool = True

    def __len__(self) -> int:
        return len(self.places)

    def chosen(self, mask: NDArray[np.bool_]) -> Occurrences:
        """Those for which the mask is true."""
        return Occurrences(self.places[mask], self.lengths[mask], self.passages[mask], self.whole)


def tokens(text: str) -> tuple[str, ...]:
    """The lower case words of a text, and its Chinese characters one by one; "Dijkstra's" is one word."""
    return tuple(_TOKEN.findall(_plain(text)))


def _plain(text: str) -> str:
    return _POSSESSIVE.sub("", normalise(text))


def read(passages: Iterable[QAPair]) -> TokenText:
    """The passages in reading order: by document path, numbers in it as numbers, then as given."""
    ordered = sorted(passages, key=lambda pair: _reading_order(pair.document or ""))
    paths = {pair.document or "" for pair in ordered}
    words = tuple(tuple(map(sys.intern, tokens(pair.answer))) for pair in ordered)
    return TokenText(
        passages=tuple(ordered),
        tokens=words,
        offsets=np.array(list(accumulate(map(len, words), initial=0)), dtype=np.int64),
        ordered=len(paths) < 2 or 2 * sum(map(bool, map(_NUMBER.search, paths))) >= len(paths),
    )


def plain(name: str) -> str:
    """A name without a qualifier at its end: "Graph (mathematics)"."""
    return _QUALIFIER.sub("", name) or name


def forms(name: str) -> Forms:
    """A name as it is, and where that does not occur, without a qualifier."""
    short = plain(name)
    return ((name,),) if short == name else ((name,), (short,))


def find(text: TokenText, names: Sequence[Forms]) -> tuple[Occurrences, ...]:
    """The occurrences of each thing, in reading order; none where it does not occur.

    English words match in singular and plural, those of longer names by their stems ("sort algorithm" in
    "sorting algorithms"), and so single words of things that do not occur else. Names inside longer names
    count, except Chinese ones that also stand by themselves (树, but not in 二叉树), and so for one Chinese
    character inside a word (图, but not in 图书馆).
    """
    found = [array("q") for _ in names]
    singulars = cache(lambda word: sys.intern(singular_word(word)))
    stems = cache(lambda word: sys.intern(stem(singular_word(word))))
    for alone in (singulars, stems):
        for group in range(max(map(len, names), default=0)):
            wanted = {n: names[n][group] for n in range(len(names)) if not found[n] and group < len(names[n])}
            if wanted:
                _search(text, wanted, alone, stems, found)
    return _stand_alone(text, [_columns(each) for each in found])


def _columns(found: array[int]) -> Occurrences:
    rows = np.frombuffer(found, dtype=np.int64).reshape(-1, 3) if found else np.zeros((0, 3), np.int64)
    places, lengths, passages = (np.ascontiguousarray(each) for each in rows.T)
    return Occurrences(places, lengths, passages)


def _search(
    text: TokenText,
    wanted: Mapping[int, tuple[str, ...]],
    alone: Callable[[str], str],
    joined: Callable[[str], str],
    found: Sequence[array[int]],
) -> None:
    """Adds to `found[n]` place, length and passage of each place where a form of n stands.

    Words are compared as `alone` has them where they are the whole form, else as `joined` has them.
    """
    singles: dict[str, dict[int, None]] = defaultdict(dict)
    owners: dict[tuple[str, ...], dict[int, None]] = defaultdict(dict)
    for n, group in wanted.items():
        for words in filter(None, map(tokens, group)):
            if len(words) == 1:
                singles[alone(words[0])][n] = None
            else:
                owners[tuple(map(joined, words))][n] = None
    lengths: dict[str, list[int]] = defaultdict(list)
    for first, length in sorted({(words[0], len(words)) for words in owners}):
        lengths[first].append(length)
    for passage, each in enumerate(text.tokens):
        begin = int(text.offsets[passage])
        sequence = tuple(map(joined, each)) if owners else each
        for start, (word, form) in enumerate(zip(each, sequence, strict=True)):
            for n in singles.get(alone(word), ()):
                found[n].extend((begin + start, 1, passage))
            for length in lengths.get(form, ()):
                words = sequence[start : start + length]
                for n in owners.get(words, ()) if len(words) == length else ():
                    found[n].extend((begin + start, length, passage))


def _stand_alone(text: TokenText, found: Sequence[Occurrences]) -> tuple[Occurrences, ...]:
    """Without the Chinese names inside longer names or words, where the name also stands by itself."""
    reach = np.zeros(text.offsets[-1], dtype=np.int64)
    for length in sorted({int(length) for each in found for length in np.unique(each.lengths)} - {1}):
        for each in found:
            begins = each.places[each.lengths == length]
            for place in range(length):
                reach[begins + place] = length
    firsts = (token >= FIRST_HAN for each in text.tokens for token in each)
    chinese = np.fromiter(firsts, dtype=bool, count=int(text.offsets[-1]))
    words = np.zeros(len(chinese), dtype=bool)
    singles = [each.passages[chinese[each.places] & (each.lengths == 1)] for each in found]
    for passage in np.unique(np.concatenate([*singles, np.zeros(0, np.int64)])):
        for place in _single_words(text, int(passage)):
            words[place] = True
    kept = []
    for each in found:
        free = (reach[each.places] <= each.lengths) & ((each.lengths > 1) | words[each.places])
        alone = each.chosen(free | ~chinese[each.places])
        kept.append(alone if len(alone) else each)
    return tuple(kept)


def _single_words(text: TokenText, passage: int) -> Iterator[int]:
    """Where words of one token are, by the segmenter."""
    begin, end = text.offsets[passage], text.offsets[passage + 1]
    for word in segmenter().cut(_plain(text.passages[passage].answer), False):
        size = len(tokens(word))
        if size == 1 and begin < end:
            yield int(begin)
        begin += size


def singular_word(word: str) -> str:
    """A token with English words in the singular."""
    return singular(word) if word.isascii() else word


def _reading_order(path: str) -> tuple[tuple[int, str], ...]:
    parts = _NUMBER.split(path)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


Words = tuple[str, ...]


def contained(names: Sequence[Words]) -> Iterator[tuple[int, int]]:
    """(a, b) where all words of name a are among those of b, which has more; Chinese ones in one piece."""
    beginning: dict[str, list[int]] = defaultdict(list)
    for n, words in enumerate(names):
        if words:
            beginning[words[0]].append(n)
    for b, words in enumerate(names):
        held, whole = set(words), "".join(words)
        for a in (a for word in dict.fromkeys(words) for a in beginning[word]):
            part = names[a]
            in_one_piece = max(part) < FIRST_HAN or "".join(part) in whole
            if len(part) < len(words) and held.issuperset(part) and in_one_piece:
                yield a, b
