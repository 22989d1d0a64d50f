"""The lines of a course that show a prerequisite."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from concept_graph.defining import DefiningSentences
from concept_graph.prerequisites.occurrences import Occurrences, Places, TokenText, tokens
from vta.places import evidence_place
from vta.sentences import split_sentences

MAX_LINE = 240
"""Characters of a quoted line; longer ones are cut around the two names."""
_LINES_TRIED = 20
_MARKUP = re.compile(r"\A[-*+>\s]+|\*+|`+")
_NO_PROSE = re.compile(
    r"\A\s*\||\w\(\"|[=!]=|\w\.\w+\(|\A\s*(?:def|return|raise|assert|import|for|if|while)\s"
)
_SPACES = re.compile(r"\s+")


class Quotations:
    """Finds the lines of one course; its sentences are counted once."""

    def __init__(self, text: TokenText) -> None:
        self._text = text
        self._lines = [
            (number, line)
            for number, each in enumerate(text.passages)
            for line in split_sentences(each.answer)
        ]
        sizes = [len(tokens(line)) for _, line in self._lines]
        self._begins = np.cumsum([0, *sizes], dtype=np.int64)

    def quote(self, prerequisite: Occurrences, concept: Occurrences, names: Iterable[str]) -> str | None:
        """The place and the line in which both stand apart; None where they never share one.

        The likelier a line defines the concept, by one of its `names`, the earlier it goes, and prose before
        rows of tables and code, then in reading order.
        """
        defining = DefiningSentences({"concept": names})
        apart = prerequisite.chosen(~_overlapping(prerequisite, concept))
        best: tuple[float, bool, str] | None = None
        shared = np.intersect1d(self._lines_of(apart), self._lines_of(concept), assume_unique=True)
        for number in shared[:_LINES_TRIED]:
            passage, line = self._lines[number]
            plain = _SPACES.sub(" ", line).strip()
            quoted = plain if len(plain) <= MAX_LINE else self._cut(plain, int(number), apart, concept)
            if quoted is not None:
                prose = _MARKUP.sub("", quoted)
                sure = max((sure for _, sure in defining.explained(prose)), default=0.0)
                where = evidence_place(self._text.passages[passage])
                found = -round(sure, 1), _NO_PROSE.search(prose) is not None, f"{where}: {quoted}"
                best = found if best is None or found[:2] < best[:2] else best
        return best[2] if best else None

    def _lines_of(self, mentions: Occurrences) -> Places:
        """The numbers of the lines that hold a mention whole."""
        first = np.searchsorted(self._begins, mentions.places, side="right") - 1
        last = np.searchsorted(self._begins, mentions.places + mentions.lengths - 1, side="right") - 1
        return np.unique(first[first == last])

    def _cut(self, line: str, number: int, some: Occurrences, others: Occurrences) -> str | None:
        """About MAX_LINE characters around the mentions closest together; None if they are farther apart."""
        begin, end = self._begins[number], self._begins[number + 1]
        ones, two = (each.places[(each.places >= begin) & (each.places < end)] for each in (some, others))
        gaps = np.abs(ones[:, None] - two[None, :])
        one, other = np.unravel_index(np.argmin(gaps), gaps.shape)
        if gaps.min() * len(line) > (end - begin) * MAX_LINE * 3 // 4:
            return None
        middle = len(line) * int(ones[one] + two[other] - 2 * begin) // int(2 * (end - begin))
        start = max(0, min(middle - MAX_LINE // 2, len(line) - MAX_LINE))
        return f"…{line[start : start + MAX_LINE].strip()}…"


def _overlapping(some: Occurrences, others: Occurrences) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of each mention of the first whether it has a token in common with one of the second."""
    before = np.searchsorted(others.places, some.places, side="right") - 1
    after = np.minimum(before + 1, len(others) - 1)
    reached = others.places + others.lengths
    from_before = (before >= 0) & (reached[before] > some.places)
    from_after = (others.places[after] >= some.places) & (others.places[after] < some.places + some.lengths)
    return np.asarray(from_before | from_after)
