"""How likely one name is a prerequisite of another, for any names that occur in a course."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from concept_graph.prerequisites.occurrences import Occurrences, TokenText, find, forms, plain, read, tokens
from concept_graph.prerequisites.signals import NameEncoder, Signals, asked_related, measure, score_names
from vta.text import FIRST_HAN, normalise
from vta.types.pairs import QAPair

BACKGROUND = 10
"""So many names at least are compared; a shorter list is filled up with common words of the course."""
JOINING = frozenset({"and", "of", "the", "in", "for", "to", "和", "与", "的"})
_MOST_WORDS = 8
"""Of a longer name the first are looked for in part."""


def score_pairs(
    passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]], *, encoder: NameEncoder
) -> tuple[float | None, ...]:
    """How likely a is a prerequisite of b, 0 to 1, for each pair (a, b); None where one does not occur.

    A name occurs as `locate` says. From 0.5 on (`THRESHOLD`) the answer is yes; never for both (a, b)
    and (b, a). A name is no prerequisite of itself. A score depends on the other names of the list, with
    which a pair is compared, and on how related the pairs of the list are on the whole, but neither on which
    way round they are nor on the order of the list. `encoder` knows how like the
    names' meanings are, and how common they are beyond the course.
    """
    known, signals = measure_pairs(passages, pairs, encoder=encoder)
    if signals is None:
        return (None,) * len(pairs)
    at = {name: n for n, name in enumerate(known)}
    ends = [(at.get(normalise(a)), at.get(normalise(b))) for a, b in pairs]
    asked = asked_related(signals, ((a, b) for a, b in ends if a is not None and b is not None))
    scores = score_names(signals, asked)
    return tuple(None if a is None or b is None else float(scores[a, b]) for a, b in ends)


def measure_pairs(
    passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]], *, encoder: NameEncoder
) -> tuple[tuple[str, ...], Signals | None]:
    """The normalised names of the pairs that occur, with their signals, in which more names may follow."""
    text = read(passages)
    names = sorted({normalise(name) for pair in pairs for name in pair} - {""})
    found = {name: each for name, each in zip(names, locate(text, names), strict=True) if len(each)}
    known = tuple(found)
    if not known:
        return (), None
    if len(known) < BACKGROUND:
        more = _background(text, BACKGROUND - len(known), frozenset(names))
        found |= dict(zip(more, locate(text, more), strict=True))
    return known, measure(text, list(found), list(found.values()), encoder)


def _background(text: TokenText, size: int, taken: frozenset[str]) -> list[str]:
    """Common longer words and pairs of Chinese characters, by number of passages, that no name equals."""
    spread = Counter(word for each in text.tokens for word in {*each, *_han_pairs(each)} if len(word) > 1)
    ordered = sorted(spread.items(), key=lambda item: (-item[1], item[0]))
    return [word for word, _ in ordered if word not in taken and (len(word) > 3 or word >= FIRST_HAN)][:size]


def _han_pairs(tokens: Sequence[str]) -> Iterator[str]:
    return (a + b for a, b in pairwise(tokens) if min(a, b) >= FIRST_HAN)


def locate(text: TokenText, names: Sequence[str]) -> tuple[Occurrences, ...]:
    """The occurrences of each name as written (`find`), else of its longest part that occurs.

    Of equally long parts the rarest counts ("rejection sampling" for "adaptive rejection sampling"). None
    where no word of it occurs; a single Chinese character is no part.
    """
    found = list(find(text, [forms(name) for name in names]))
    wanted = {
        n: [word for word in tokens(plain(names[n])) if word not in JOINING]
        for n, each in enumerate(found)
        if not len(each)
    }
    for left_out in range(max(map(len, wanted.values()), default=0)):
        parts = [(n, part) for n, words in wanted.items() for part in _runs(words, len(words) - left_out)]
        occurring: dict[int, list[Occurrences]] = defaultdict(list)
        for (n, _), each in zip(parts, find(text, [forms(part) for _, part in parts]), strict=True):
            if len(each):
                occurring[n].append(each)
        for n, some in occurring.items():
            del wanted[n]
            found[n] = replace(min(some, key=len), whole=False)
    return tuple(found)


def _runs(words: Sequence[str], size: int) -> list[str]:
    """So many words of a name in their order; Chinese characters side by side, and not one alone."""
    if any(word >= FIRST_HAN for word in words):
        return ["".join(words[at : at + size]) for at in range(len(words) - size + 1)] if size > 1 else []
    return [" ".join(each) for each in combinations(words[:_MOST_WORDS], size)] if size > 0 else []
