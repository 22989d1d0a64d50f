"""How likely one name is a prerequisite of another, for any names that occur in a course."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from concept_graph.prerequisites.locating import locate
from concept_graph.prerequisites.model import asked_related, score_names
from concept_graph.prerequisites.occurrences import TokenText, forms, read
from concept_graph.prerequisites.signals import NameEncoder, Signals, measure
from vta.text import FIRST_HAN, normalise
from vta.types import QAPair

BACKGROUND = 10
"""So many names at least are compared; a shorter list is filled up with common words of the course."""


def score_pairs(
    passages: Sequence[QAPair], pairs: Sequence[tuple[str, str]], *, encoder: NameEncoder | None = None
) -> tuple[float | None, ...]:
    """How likely a is a prerequisite of b, 0 to 1, for each pair (a, b); None where one does not occur.

    A name occurs as `locate` says. From 0.5 on (`model.THRESHOLD`) the answer is yes; never for both (a, b)
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
