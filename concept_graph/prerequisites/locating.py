"""Where a name is meant that never stands in a course as it is written."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from concept_graph.names import singular
from concept_graph.prerequisites.counts import WINDOW
from concept_graph.prerequisites.occurrences import Forms, Occurrences, TokenText, find, forms, plain, tokens
from vta.text import FIRST_HAN, stem

JOINING = frozenset({"and", "of", "the", "in", "for", "to", "和", "与", "的"})
_FREE = 3
"""So many further words may stand among those of a name in another order."""
_MOST_WORDS = 8
"""Of a longer name the first are looked for in part."""

Index = Mapping[str, Mapping[int, Sequence[int]]]
"""For a stem, by the passage: the places where it stands, rising."""


def locate(text: TokenText, names: Sequence[str]) -> tuple[Occurrences, ...]:
    """The occurrences of each name: as written (`find`), else in the first of these ways that finds any.

    Joined or parted ("data set", "dataset"); its words close together in any order ("precision and recall"
    in "recall or precision"), then within a sentence's length; its longest part that occurs, of equally long
    ones the rarest ("rejection sampling" for "adaptive rejection sampling"). None where no word of it occurs;
    a single Chinese character is no part.
    """
    found = list(find(text, [forms(name) for name in names]))
    words = {
        n: tuple(word for word in tokens(plain(names[n])) if word not in JOINING)
        for n, each in enumerate(found)
        if not each
    }
    if not words:
        return tuple(found)
    index = _index(text, {stem(word) for each in words.values() for word in each})
    respelt = find(text, _respelt(text, list(words.values())))
    for n, as_respelt in zip(words, respelt, strict=True):
        stems = tuple(dict.fromkeys(map(stem, words[n])))
        found[n] = (
            as_respelt or _scattered(index, stems, len(stems) + _FREE) or _scattered(index, stems, WINDOW)
        )
    for n, part in _parts(text, {n: each for n, each in words.items() if not found[n]}):
        found[n] = part
    return tuple(found)


def _respelt(text: TokenText, names: Sequence[Sequence[str]]) -> list[Forms]:
    """Each English name written together or apart, where it stands so in the text."""
    wanted = {singular("".join(words)) for words in names}
    apart: dict[str, str] = {}
    for each in text.tokens:
        for word, after in pairwise(each):
            if (joined := singular(word + after)) in wanted:
                apart.setdefault(joined, f"{word} {after}")
    return [_other_spelling(words, apart) for words in names]


def _other_spelling(words: Sequence[str], apart: Mapping[str, str]) -> Forms:
    if len(words) == 1:
        return ((apart[singular(words[0])],),) if singular(words[0]) in apart else ()
    together = "".join(words)
    return ((together,),) if together.isascii() and together else ()


def _index(text: TokenText, wanted: set[str]) -> Index:
    index: dict[str, dict[int, list[int]]] = {each: defaultdict(list) for each in wanted}
    stems: dict[str, str] = {}
    for passage, each in enumerate(text.tokens):
        for place, word in enumerate(each):
            known = stems.get(word) or stems.setdefault(word, stem(word))
            if known in index:
                index[known][passage].append(place)
    return index


def _scattered(index: Index, stems: Sequence[str], most: int) -> Occurrences:
    """The stretches of at most `most` tokens that hold all stems, each around a place of the first stem."""
    places = array("i")
    held = [index[each] for each in stems]
    for passage in sorted(set.intersection(*(set(each) for each in held)) if held else ()):
        for place in held[0][passage]:
            near = [_nearest(each[passage], place) for each in held]
            length = max(near) - min(near) + 1
            if length <= most:
                places.extend((passage, min(near), length))
    return Occurrences(places)


def _nearest(places: Sequence[int], place: int) -> int:
    at = bisect_left(places, place)
    return min(places[max(at - 1, 0) : at + 1], key=lambda each: abs(each - place))


def _parts(text: TokenText, names: Mapping[int, Sequence[str]]) -> Iterator[tuple[int, Occurrences]]:
    """The longest part of each name that occurs, the rarest of equally long ones."""
    wanted = dict(names)
    for left_out in range(1, max(map(len, names.values()), default=1)):
        parts = [(n, part) for n, words in wanted.items() for part in _runs(words, len(words) - left_out)]
        occurring: dict[int, list[Occurrences]] = defaultdict(list)
        for (n, _), found in zip(parts, find(text, [forms(part) for _, part in parts]), strict=True):
            if found:
                occurring[n].append(found)
        for n, found_parts in occurring.items():
            del wanted[n]
            yield n, min(found_parts, key=len).as_parts()


def _runs(words: Sequence[str], size: int) -> list[str]:
    """So many words of a name in their order; Chinese characters side by side, and not one alone."""
    if any(word >= FIRST_HAN for word in words):
        return ["".join(words[at : at + size]) for at in range(len(words) - size + 1)] if size > 1 else []
    return [" ".join(each) for each in combinations(words[:_MOST_WORDS], size)] if size > 0 else []
