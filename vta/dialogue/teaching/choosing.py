"""The choice of the excerpts that answer a question."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import Piece, read_pieces, show_pieces, window
from vta.dialogue.teaching.order import excerpt_features, extract_passage_features, shipped_trees
from vta.dialogue.teaching.sentences import extract_features, score
from vta.kinds import Kind, kinds_of
from vta.text import normalise
from vta.types.pairs import Candidate, Source
from vta.types.questions import PLAIN, AnswerStyle
from vta.units import UnitKind, gives

EXCERPT_WIDTH = 500
"""Columns of an excerpt: 500 letters or 250 Chinese characters."""
_WHOLE_WIDTH = 1400
_SAME_QUESTION = 0.5


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of the n-th candidate as Markdown with its mark; `marked` as in `vta.types.answers.Citation`."""

    n: int
    text: str
    marked: str


@dataclass(frozen=True, slots=True)
class _Window:
    """Places of pieces of the n-th candidate to quote, and the best of them."""

    n: int
    places: range
    best: int


class Chooser:
    """The excerpts of all candidates that could answer a question, in learned order.

    An FAQ entry or definition that answers the whole question goes first, and an example does in a simpler
    answer.
    """

    def __init__(self, asked: Asked, candidates: Sequence[Candidate], *, style: AnswerStyle = PLAIN) -> None:
        self._asked, self._candidates, self._style = asked, candidates, style
        self._pieces = [read_pieces(candidate.pair.answer) for candidate in candidates]
        read = [extract_features(asked, pieces) for pieces in self._pieces]
        self._scores = [[score(features) for features in of] for of in read]
        self.passages = extract_passage_features(asked, candidates, self._pieces, read, self._scores)
        windows = [self._windows_of(n) for n in range(1, len(candidates) + 1)]
        self.windows = list(chain.from_iterable(windows))
        self.features = excerpt_features(
            self.passages,
            [[scores[each.best] for each in own] for scores, own in zip(self._scores, windows, strict=True)],
        )
        scores = shipped_trees().scores(self.features)
        self._ranked = sorted(zip(scores, self.windows, strict=True), key=lambda each: -each[0])
        self.order = self._ordered()

    def excerpts(self, said: Sequence[str] = ()) -> Iterator[Excerpt]:
        """The best excerpt of each candidate, in order, that repeats neither an earlier answer nor `said`.

        A sentence or unit wider than an excerpt is quoted whole.
        """
        told = tuple(map(_letters, (*self._style.already_said, *said)))
        for n in self.order:
            windows = (each for _, each in self._ranked if each.n == n)
            chosen = next((each for each in windows if self._is_new(each, told)), None)
            if chosen is not None:
                excerpt = self.show(chosen)
                yield excerpt
                told = (*told, _letters(excerpt.text))

    def show(self, chosen: _Window) -> Excerpt:
        """The quotation of a window."""
        pieces = self._pieces[chosen.n - 1]
        piece = pieces[chosen.best]
        is_marked = len(chosen.places) > 1 and piece.kind is UnitKind.SENTENCE
        text = show_pieces(pieces, chosen.places, f" [{chosen.n}]")
        return Excerpt(n=chosen.n, text=text, marked=piece.text if is_marked else "")

    def answers_whole(self, n: int) -> bool:
        """Whether the n-th candidate is an FAQ entry or definition that answers just this question."""
        pair = self._candidates[n - 1].pair
        kinds = frozenset({Kind.DEFINITION}).union(*map(kinds_of, pair.wordings))
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT)
        is_asked = pair.source is Source.FAQ or self._asked.asks_definition
        likeness = max(map(self._asked.likeness, pair.wordings))
        return is_whole and is_asked and likeness >= _SAME_QUESTION and self._asked.kinds <= kinds

    def _ordered(self) -> tuple[int, ...]:
        """The candidates by their best excerpt."""
        highest = {each.n: score for score, each in reversed(self._ranked)}

        def key(n: int) -> tuple[bool, bool, float]:
            is_too_hard = self._style.simpler and not self._is_simple(n)
            return is_too_hard, not self.answers_whole(n), -highest.get(n, -math.inf)

        return tuple(sorted(range(1, len(self._candidates) + 1), key=key))

    def _is_simple(self, n: int) -> bool:
        """Whether it gives an example or is spoken."""
        pair = self._candidates[n - 1].pair
        return gives(Kind.EXAMPLE, pair.answer) or pair.locator.start_s is not None

    def _windows_of(self, n: int) -> list[_Window]:
        """All of a short FAQ entry or definition; of any other pair an excerpt around each piece."""
        pieces, scores = self._pieces[n - 1], self._scores[n - 1]
        is_whole = self._is_whole(n)
        width = _WHOLE_WIDTH if is_whole else EXCERPT_WIDTH
        if pieces and is_whole and sum(piece.width for piece in pieces) <= width:
            return [_Window(n, range(len(pieces)), max(range(len(pieces)), key=scores.__getitem__))]
        found: dict[range, int] = {}
        for place in range(len(pieces)):
            places = window(pieces, place, width)
            found[places] = max(found.get(places, place), place, key=scores.__getitem__)
        return [_Window(n, places, best) for places, best in found.items()]

    def _is_whole(self, n: int) -> bool:
        return self._candidates[n - 1].pair.source in (Source.FAQ, Source.CONCEPT)

    def _is_new(self, each: _Window, told: Sequence[str]) -> bool:
        """Whether the best piece of a window, or every piece of a whole entry, was not said before."""
        pieces = self._pieces[each.n - 1]
        looked_at = pieces if self._is_whole(each.n) else (pieces[each.best],)
        return not any(_is_told(piece, told) for piece in looked_at)


def _is_told(piece: Piece, told: Sequence[str]) -> bool:
    letters = _letters(piece.text)
    return bool(letters) and any(letters in each for each in told)


def _letters(text: str) -> str:
    """The letters of a text, without marks of citations and Markdown, to find it in another."""
    return re.sub(r"[\W_]+", "", re.sub(r"\[\d{1,3}\]", "", normalise(text)))
