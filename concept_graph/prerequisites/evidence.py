"""The line of a course that shows why one concept comes before another."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from concept_graph.defining import DefiningSentences
from concept_graph.prerequisites.occurrences import Occurrence, Occurrences, Places, TokenText, tokens
from vta.sentences import split_sentences
from vta.types import Locator, QAPair

MAX_LINE = 240
"""Characters of a quoted line; longer ones are cut around the two names."""
_TRIED = 20
_MARKUP = re.compile(r"\A[-*+>\s]+|\*+|`+")
_NO_PROSE = re.compile(
    r"\A\s*\||\w\(\"|[=!]=|\w\.\w+\(|\A\s*(?:def|return|raise|assert|import|for|if|while)\s"
)
_SPACES = re.compile(r"\s+")
Near = tuple[int, Occurrence, Occurrence]
"""The tokens between two mentions of a passage, the first of the mentions, the last."""


class Quotations:
    """Finds the lines of one course; the sentences of a passage are counted once."""

    def __init__(self, text: TokenText) -> None:
        self._text = text
        self._sentences: dict[int, tuple[tuple[int, str], ...]] = {}

    def quote(self, prerequisite: Occurrences, concept: Occurrences, names: Iterable[str]) -> str | None:
        """The place and the line in which both stand, closest together; None where they never share one.

        The likelier a line defines the concept, by one of its `names`, the earlier it goes, and prose before
        rows of tables and code.
        """
        defining = DefiningSentences({"concept": names})
        best: tuple[float, bool, int, str] | None = None
        for distance, first, last in closest(prerequisite, concept, _TRIED):
            line = self._line(first, last)
            if line is not None:
                place = _place(self._text.passages[first.passage])
                prose = _MARKUP.sub("", line)
                found = (
                    -round(max((sure for _, sure in defining.explained(prose)), default=0.0), 1),
                    _NO_PROSE.search(prose) is not None,
                    distance,
                    f"{place}: {line}",
                )
                best = found if best is None else min(best, found)
        return best[3] if best else None

    def _line(self, first: Occurrence, last: Occurrence) -> str | None:
        """The sentence that holds both mentions, as written; None where it is cut in between."""
        if first.passage not in self._sentences:
            answer = self._text.passages[first.passage].answer
            split = split_sentences(answer)
            self._sentences[first.passage] = tuple((len(tokens(each)), each) for each in split)
        at = 0
        for size, sentence in self._sentences[first.passage]:
            if at <= first.start and last.start + last.length <= at + size:
                plain = _SPACES.sub(" ", sentence).strip()
                return (
                    plain if len(plain) <= MAX_LINE else _cut(plain, first.start - at, last.start - at, size)
                )
            at += size
        return None


def _cut(sentence: str, first: int, last: int, size: int) -> str | None:
    """About MAX_LINE characters around the tokens `first` to `last` of `size`; None if they are farther."""
    middle = len(sentence) * (first + last) // (2 * size)
    begin = max(0, min(middle - MAX_LINE // 2, len(sentence) - MAX_LINE))
    if (last - first) * len(sentence) > size * MAX_LINE * 3 // 4:
        return None
    return f"…{sentence[begin : begin + MAX_LINE].strip()}…"


def _place(passage: QAPair) -> str:
    """Document, headings, and page or second: "05/stack.md > Stack", "lecture3.srt 62 s"."""
    where: Locator = passage.locator
    place = " > ".join(part for part in (passage.document, *where.heading_path) if part)
    if where.page is not None:
        place += f", page {where.page}"
    if where.start_s is not None:
        place += f" {where.start_s:.0f} s"
    return place.strip() or passage.question


def closest(some: Occurrences, others: Occurrences, most: int) -> list[Near]:
    """The `most` passages in which the two come closest, closest first, each with the two mentions.

    Mentions that overlap are not two. Of equal distances the earlier mention of `some` counts, of equally
    distant passages the earlier passage. Time grows with the mentions, not with their pairs.
    """
    if not len(some) or not len(others):
        return []
    begins, ends = _keys(some)
    other_begins, other_ends = _keys(others)
    order = np.argsort(other_ends, kind="stable")
    sorted_ends = other_ends[order]
    last = np.searchsorted(sorted_ends, begins, side="right") - 1
    before = order[np.searchsorted(sorted_ends, sorted_ends[last])]
    after = np.searchsorted(other_begins, ends)
    partner = np.stack((before, np.minimum(after, len(others) - 1)), axis=1).ravel()
    exists = np.stack((last >= 0, after < len(others)), axis=1).ravel()
    which = np.repeat(np.arange(len(some)), 2)
    gap = np.maximum(begins[which] - other_ends[partner], other_begins[partner] - ends[which])
    near = np.flatnonzero(exists & (some.passages[which] == others.passages[partner]))
    near = near[np.lexsort((some.passages[which[near]], gap[near]))]
    found: dict[int, Near] = {}
    for n in near:
        one, other = some[int(which[n])], others[int(partner[n])]
        first, second = (one, other) if one.start < other.start else (other, one)
        found.setdefault(one.passage, (int(gap[n]), first, second))
        if len(found) == most:
            break
    return list(found.values())


def _keys(mentions: Occurrences) -> tuple[Places, Places]:
    """Begin and end of each mention as one number, ordered by passage."""
    begins = (mentions.passages.astype(np.int64) << 32) + mentions.starts
    return begins, begins + mentions.lengths
