"""How likely one name is a prerequisite of another, for any names that occur in a course."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from concept_graph.names import singular
from concept_graph.prerequisites.counts import WINDOW
from concept_graph.prerequisites.occurrences import (
    Forms,
    Occurrences,
    TokenText,
    find,
    forms,
    plain,
    read,
    tokens,
)
from concept_graph.prerequisites.signals import NameEncoder, Signals, asked_related, measure, score_names
from vta.text import FIRST_HAN, normalise, stem
from vta.types.pairs import QAPair

BACKGROUND = 10
"""So many names at least are compared; a shorter list is filled up with common words of the course."""


def score_pairs(
    passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]], *, encoder: NameEncoder | None = None
) -> tuple[float | None, ...]:
    """How likely a is a prerequisite of b, 0 to 1, for each pair (a, b); None where one does not occur.

    A name occurs as `locate` says. From 0.5 on (`THRESHOLD`) the answer is yes; never for both (a, b)
    and (b, a). A name is no prerequisite of itself. A score depends on the other names of the list, with
    which a pair is compared, and on how related the pairs of the list are on the whole, but neither on which
    way round they are nor on the order of the list. `encoder` adds the
    likeness of the names' meanings, and how common they are beyond the course.
    """
    known, signals = measure_pairs(passages, pairs, encoder=encoder)
    if signals is None:
        return (None,) * len(pairs)
    at = {name: n for n, name in enumerate(known)}
    ends = [(at.get(normalise(a)), at.get(normalise(b))) for a, b in pairs]
    asked = asked_related(signals, ((a, b) for a, b in ends if a is not None and b is not None))
    scores = score_names(signals, asked=asked)
    return tuple(None if a is None or b is None else float(scores[a, b]) for a, b in ends)


def measure_pairs(
    passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]], *, encoder: NameEncoder | None = None
) -> tuple[tuple[str, ...], Signals | None]:
    """The normalised names of the pairs that occur, with their signals, in which more names may follow."""
    text = read(passages)
    names = sorted({normalise(name) for pair in pairs for name in pair} - {""})
    found = {name: each for name, each in zip(names, locate(text, names), strict=True) if each}
    known = list(found)
    if not known:
        return (), None
    compared = list(known)
    if len(known) < BACKGROUND:
        compared += _background(text, BACKGROUND - len(known), frozenset(names))
        found |= dict(zip(compared[len(known) :], locate(text, compared[len(known) :]), strict=True))
    said = [forms(name) for name in compared]
    return tuple(known), measure(text, compared, said, [found[name] for name in compared], encoder)


def _background(text: TokenText, size: int, taken: frozenset[str]) -> list[str]:
    """Common longer words and pairs of Chinese characters, by number of passages, that no name equals."""
    spread = Counter(word for each in text.tokens for word in {*each, *_han_pairs(each)} if len(word) > 1)
    ordered = sorted(spread.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered if word not in taken and (len(word) > 3 or word >= FIRST_HAN)][:size]


def _han_pairs(tokens: Sequence[str]) -> Iterator[str]:
    return (a + b for a, b in pairwise(tokens) if min(a, b) >= FIRST_HAN)


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
