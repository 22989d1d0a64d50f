"""The piece of a course that explains a concept best, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from concept_graph.defining import SURE, Candidate, DefiningSentences, Form, probability
from concept_graph.headings import heading_name
from concept_graph.names import name_key
from vta.text import normalise
from vta.types import QAPair

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A piece of text, the passage it stands in, and how likely it explains."""

    text: str
    passage: QAPair
    score: float
    names_it: bool = False
    """Whether it says the name itself ("X is ..."), and does not only stand under it."""


def explain(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> dict[str, Explanation]:
    """The best explanation of each concept that has any; `names` are those of each concept by its key.

    The likeliest candidate (`concept_graph.defining`) is taken, of equal ones the first. The place and an
    empty text are what a concept has that nothing explains but a heading names.
    """
    best: dict[str, Explanation] = {}
    for passage, each in find_candidates(names, texts):
        score = probability(each) if isinstance(each, Candidate) else 0.0
        key, text = (each.key, each.text) if isinstance(each, Candidate) else (each, "")
        if (text == "" and key not in best) or (
            score >= SURE and (key not in best or score > best[key].score)
        ):
            names_it = isinstance(each, Candidate) and each.form not in (
                Form.HEADED,
                Form.LINE,
                Form.TOLD,
            )
            best[key] = Explanation(text, passage, score, names_it)
    return best


def find_candidates(
    names: Mapping[str, Sequence[str]], texts: Iterable[tuple[QAPair, str]]
) -> Iterator[tuple[QAPair, Candidate | str]]:
    """What may explain the names, in order, each with its passage; before them the keys that a heading names.

    A text seen before under the same headings, but for its numbers, is left out.
    """
    defining = DefiningSentences(names)
    headings: dict[tuple[str, ...], Mapping[str, int]] = {}
    met: set[str] = set()
    seen: set[tuple[tuple[str, ...], str, int]] = set()
    for passage, text in texts:
        above = passage.locator.heading_path or (passage.question,)
        if above not in headings:
            headings[above] = _named_by(above, defining)
        for key in headings[above]:
            yield passage, key
        for each in defining.candidates(text, headings[above]):
            mark = (above, each.key, hash(_DIGITS.sub("0", each.text)))
            if mark not in seen:
                seen.add(mark)
                yield passage, replace(each, first=each.key not in met)
                met.add(each.key)


def _named_by(headings: tuple[str, ...], defining: DefiningSentences) -> Mapping[str, int]:
    """The keys that the last two headings name: 2 for the last, 1 for the one above."""
    named: dict[str, int] = {}
    for near, heading in enumerate(headings[-2:], start=3 - len(headings[-2:])):
        found = heading_name(heading)
        for name in (found.name, *found.aliases) if found else ():
            key = defining.owner(normalise(name)) or defining.owner(name_key(name))
            if key:
                named[key] = near
    return named
