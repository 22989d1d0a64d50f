"""Where names stand in the passages of a course: whole words in English, substrings in Chinese."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from concept_graph.names import singular
from vta.text import FIRST_HAN, HAN, normalise, segmenter, stem
from vta.types.pairs import QAPair

Places = NDArray[np.integer]
Forms = tuple[tuple[str, ...], ...]
"""How a thing may be called. The forms of the first group that occurs at all are counted, all together."""

_TOKEN = re.compile(rf"[{HAN}]|[^\W_{HAN}]+(?:\+\+|#)?")
_POSSESSIVE = re.compile(r"['’]s\b")
_QUALIFIER = re.compile(r"\s*[(（][^()（）]*[)）]\s*\Z")
_NUMBER = re.compile(r"(\d+)")
_CODE = re.compile(r"[_`]|\w\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A name in a passage, over the tokens `start` to `start + length` of it."""

    passage: int
    start: int
    length: int


class Occurrences:
    """The occurrences of a name in reading order, as columns: thousands of names may stand in every line."""

    def __init__(self, found: array[int], *, whole: bool = True) -> None:
        """Take passage, start and length of each occurrence in turn.

        With `whole` all of the name stands there, and not a part of it.
        """
        self.whole = whole
        columns = np.frombuffer(found, dtype=np.intc).reshape(-1, 3) if found else np.zeros((0, 3), np.intc)
        self.passages, self.starts, self.lengths = (np.ascontiguousarray(each) for each in columns.T)

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, at: int) -> Occurrence:
        return Occurrence(
            passage=int(self.passages[at]), start=int(self.starts[at]), length=int(self.lengths[at])
        )

    def __iter__(self) -> Iterator[Occurrence]:
        return map(self.__getitem__, range(len(self)))

    def chosen(self, mask: NDArray[np.bool_]) -> Occurrences:
        """Those for which the mask is true."""
        return self._of(mask, whole=self.whole)

    def as_parts(self) -> Occurrences:
        """The same, of a longer name of which no more stands there."""
        return self._of(slice(None), whole=False)

    def _of(self, rows: NDArray[np.bool_] | slice, *, whole: bool) -> Occurrences:
        columns = np.stack((self.passages, self.starts, self.lengths), axis=1)[rows]
        return Occurrences(array("i", columns.tobytes()), whole=whole)

    def places(self, offsets: Places) -> Places:
        """Where each stands in the whole course, in tokens."""
        return np.asarray(offsets[self.passages] + self.starts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenText:
    """A course as tokens: English words and Chinese characters.

    `documents[i]` is the number of the document of passage i, counted in reading order from 0. `ordered`
    tells that the author chose this order: there is one document, or most paths hold a number.
    """

    passages: tuple[QAPair, ...]
    tokens: tuple[tuple[str, ...], ...]
    documents: tuple[int, ...]
    ordered: bool = True

    def offsets(self) -> Places:
        """How many tokens are before each passage, and at last how many there are."""
        return np.array(list(accumulate(map(len, self.tokens), initial=0)), dtype=np.int64)


def tokens(text: str) -> tuple[str, ...]:
    """The lower case words of a text, and its Chinese characters one by one; "Dijkstra's" is one word."""
    return tuple(_TOKEN.findall(_plain(text)))


def _plain(text: str) -> str:
    return _POSSESSIVE.sub("", normalise(text))


def read(passages: Iterable[QAPair]) -> TokenText:
    """The passages in reading order: by document path, numbers in it as numbers, then as given."""
    ordered = sorted(passages, key=lambda pair: _reading_order(pair.document or ""))
    numbers: dict[str | None, int] = {}
    documents = tuple(numbers.setdefault(pair.document, len(numbers)) for pair in ordered)
    numbered = sum(bool(_NUMBER.search(path or "")) for path in numbers)
    return TokenText(
        passages=tuple(ordered),
        tokens=tuple(tuple(map(sys.intern, tokens(pair.answer))) for pair in ordered),
        documents=documents,
        ordered=len(numbers) < 2 or 2 * numbered >= len(numbers),
    )


def in_code(text: TokenText) -> NDArray[np.bool_]:
    """Of each token of the course, whether it is written as code: `name`, part_of_name, name(...)."""
    found = []
    for passage, words in zip(text.passages, text.tokens, strict=True):
        flags = [False] * len(words)
        if _CODE.search(passage.answer):
            answer = f"{_plain(passage.answer)} "
            flags = [_is_code(answer, each) for each in _TOKEN.finditer(answer)]
        found.extend(flags)
    return np.array(found, dtype=bool)


def _is_code(text: str, word: re.Match[str]) -> bool:
    return text[max(word.start() - 1, 0)] in "_`" or (text[word.end()] in "_`(" and word[0].isascii())


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
    found = [array("i") for _ in names]
    singulars, stems = _Remembered(singular_word), _Remembered(lambda word: stem(singular_word(word)))
    for alone in (singulars, stems):
        for group in range(max(map(len, names), default=0)):
            wanted = {n: names[n][group] for n in range(len(names)) if not found[n] and group < len(names[n])}
            if wanted:
                _search(text, wanted, alone, stems, found)
    return _stand_alone(text, [Occurrences(each) for each in found])


class _Remembered(dict[str, str]):
    """The form of each word, made once."""

    def __init__(self, form_of: Callable[[str], str]) -> None:
        super().__init__()
        self._form_of = form_of

    def __missing__(self, word: str) -> str:
        form = self[word] = sys.intern(self._form_of(word))
        return form


def _search(
    text: TokenText,
    wanted: Mapping[int, tuple[str, ...]],
    alone: _Remembered,
    joined: _Remembered,
    found: Sequence[array[int]],
) -> None:
    """Adds to `found[n]` passage, start and length of each place where a form of n stands.

    Words are compared as `alone` has them where they are the whole form, else as `joined` has them.
    """
    singles: dict[str, list[int]] = {}
    owners: dict[tuple[str, ...], list[int]] = {}
    for n, group in wanted.items():
        spelled = dict.fromkeys(map(tokens, group))
        for word in dict.fromkeys(alone[each[0]] for each in spelled if len(each) == 1):
            singles.setdefault(word, []).append(n)
        for words in dict.fromkeys(tuple(map(joined.__getitem__, each)) for each in spelled if len(each) > 1):
            owners.setdefault(words, []).append(n)
    lengths: dict[str, list[int]] = {}
    for words in sorted(owners, key=len):
        begun = lengths.setdefault(words[0], [])
        if len(words) not in begun:
            begun.append(len(words))
    for passage, each in enumerate(text.tokens):
        sequence = tuple(map(joined.__getitem__, each)) if owners else each
        for start, (word, form) in enumerate(zip(each, sequence, strict=True)):
            for n in singles.get(alone[word], ()):
                found[n].extend((passage, start, 1))
            for length in lengths.get(form, ()):
                words = sequence[start : start + length]
                for n in owners.get(words, ()) if len(words) == length else ():
                    found[n].extend((passage, start, length))


def _stand_alone(text: TokenText, found: Sequence[Occurrences]) -> tuple[Occurrences, ...]:
    """Without the Chinese names inside longer names or words, where the name also stands by itself."""
    offsets = text.offsets()
    reach = np.zeros(offsets[-1], dtype=np.int32)
    for length in sorted({int(length) for each in found for length in np.unique(each.lengths)} - {1}):
        for each in found:
            begins = each.places(offsets)[each.lengths == length]
            for place in range(length):
                reach[begins + place] = length
    words = _ChineseWords(text, offsets)
    kept = []
    for each in found:
        places = each.places(offsets)
        free = reach[places] <= each.lengths
        single = free & (each.lengths == 1)
        free[single] = words.alone(each.passages[single], places[single])
        alone = each.chosen(free | ~words.chinese(places))
        kept.append(alone or each)
    return tuple(kept)


class _ChineseWords:
    """Where Chinese characters are words of their own, by the segmenter; a passage is cut when asked for."""

    def __init__(self, text: TokenText, offsets: Places) -> None:
        self._text = text
        self._offsets = offsets
        firsts = (token >= FIRST_HAN for each in text.tokens for token in each)
        self._chinese = np.fromiter(firsts, dtype=bool, count=int(offsets[-1]))
        self._alone = np.zeros(len(self._chinese), dtype=bool)
        self._cut = np.zeros(len(text.tokens), dtype=bool)
        self._sizes: dict[str, int] = {}

    def chinese(self, places: Places) -> NDArray[np.bool_]:
        return self._chinese[places]

    def alone(self, passages: Places, places: Places) -> NDArray[np.bool_]:
        """Whether each is a word; an English one is, if no one asks for it."""
        for passage in np.unique(passages[self._chinese[places]]):
            if not self._cut[passage]:
                self._cut[passage] = True
                self._read(int(passage))
        return self._alone[places]

    def _read(self, passage: int) -> None:
        answer = _plain(self._text.passages[passage].answer)
        begin, end = self._offsets[passage], self._offsets[passage + 1]
        for word in segmenter().cut(answer, False):
            if word not in self._sizes:
                self._sizes[word] = len(tokens(word))
            size = self._sizes[word]
            if size == 1 and begin < end:
                self._alone[begin] = True
            begin += size


def singular_word(word: str) -> str:
    """A token with English words in the singular."""
    return singular(word) if word.isascii() else word


def _reading_order(path: str) -> tuple[tuple[int, str], ...]:
    parts = _NUMBER.split(path)
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)
