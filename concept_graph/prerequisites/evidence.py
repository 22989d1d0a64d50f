"""The line of a course that shows why one concept comes before another."""

from __future__ import annotations

import re
from collections.abc import Iterable

from concept_graph.definitions import defining_pattern
from concept_graph.names import inflections
from concept_graph.prerequisites.nearness import closest
from concept_graph.prerequisites.occurrences import Occurrence, Occurrences, TokenText, tokens
from vta.text import normalise
from vta.types import Locator, QAPair

MAX_LINE = 240
"""Characters of a quoted line; longer ones are cut around the two names."""

_TRIED = 20
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?])\s+|\n+")
_MARKUP = re.compile(r"\A[-*+>\s]+|\*+|`+")
_NO_PROSE = re.compile(
    r"\A\s*\||\w\(\"|[=!]=|\w\.\w+\(|\A\s*(?:def|return|raise|assert|import|for|if|while)\s"
)
_SPACES = re.compile(r"\s+")


class Quotations:
    """Finds the lines of one course; the sentences of a passage are counted once."""

    def __init__(self, text: TokenText) -> None:
        self._text = text
        self._sentences: dict[int, tuple[tuple[int, str], ...]] = {}

    def quote(self, prerequisite: Occurrences, concept: Occurrences, names: Iterable[str]) -> str | None:
        """The place and the line in which both stand, closest together; None where they never share one.

        A line that defines the concept, by one of its `names`, goes before all others, and prose before rows
        of tables and code.
        """
        forms = {form for name in names for form in (name, *inflections(normalise(name)))}
        pattern = defining_pattern(frozenset(forms))
        best: tuple[bool, bool, int, str] | None = None
        for distance, first, last in closest(prerequisite, concept, _TRIED):
            line = self._line(first, last)
            if line is not None:
                place = _place(self._text.passages[first.passage])
                prose = _MARKUP.sub("", line)
                found = (
                    pattern.match(prose) is None,
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
            split = _SENTENCE_END.split(answer)
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
