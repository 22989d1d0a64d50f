"""Which of the candidates a question is answered from, and with which of their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vta.dialogue.teaching.asked import Asked
from vta.dialogue.teaching.excerpts import Piece, read_pieces, show_pieces, window
from vta.dialogue.teaching.order import PassageSigns, read_passage_signs, shipped_trees
from vta.dialogue.teaching.sentences import add_similarity, read_signs, score, shipped_weights
from vta.headings import is_exercises
from vta.kinds import Kind, kinds_of
from vta.ports import Embedder
from vta.text import normalise
from vta.types.pairs import Candidate, Source
from vta.types.questions import Wish
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


class Chooser:
    """The candidates of one question in learned order, and from each the words that answer it.

    What the FAQ or a definition answers whole goes before the rest, and an example does where something is to
    be said more simply. Exercises go behind, unless their heading is asked for.
    """

    def __init__(
        self, asked: Asked, candidates: Sequence[Candidate], *, embedder: Embedder | None, wish: Wish = Wish()
    ) -> None:
        self._asked, self._candidates, self._embedder, self._wish = asked, candidates, embedder, wish
        self._pieces = [read_pieces(candidate.pair.answer) for candidate in candidates]
        self._words = [read_signs(asked, pieces) for pieces in self._pieces]
        self.signs = self._read_passages() if candidates else []
        self.order = self._ordered()

    def excerpts(
        self, order: Sequence[int], said: Sequence[str] = (), width: int | None = None
    ) -> Iterator[Excerpt]:
        """One excerpt of each of these candidates, in their order, that says what was not told or `said`.

        Of some `width` columns, where it is given; a sentence or unit that is wider alone is there whole.
        """
        told = tuple(map(_letters, (*self._wish.told, *said)))
        for n in order:
            places, best = self._places(n, told, width)
            if places:
                piece = self.pieces(n)[best]
                is_marked = len(places) > 1 and piece.kind is UnitKind.SENTENCE
                text = show_pieces(self.pieces(n), places, f" [{n}]")
                yield Excerpt(n=n, text=text, marked=piece.text if is_marked else "")
                told = (*told, _letters(text))

    def pieces(self, n: int) -> tuple[Piece, ...]:
        """The pieces of the n-th candidate."""
        return self._pieces[n - 1]

    def scores(self, n: int) -> list[float]:
        """How well each piece of the n-th candidate answers."""
        signs, weights = self._words[n - 1], shipped_weights(encoder=self._embedder is not None)
        if signs and self._embedder is not None:
            pair = self._candidates[n - 1].pair
            signs = add_similarity(signs, self._asked, pair, self.pieces(n), self._embedder)
        return [score(each, weights) for each in signs]

    def answers_whole(self, n: int) -> bool:
        """Whether the n-th candidate is an FAQ entry or definition that answers just this question."""
        pair = self._candidates[n - 1].pair
        kinds = frozenset({Kind.DEFINITION}).union(*map(kinds_of, pair.wordings))
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT)
        is_asked = pair.source is Source.FAQ or self._asked.asks_definition
        likeness = max(map(self._asked.likeness, pair.wordings))
        return is_whole and is_asked and likeness >= _SAME_QUESTION and self._asked.kinds <= kinds

    def _read_passages(self) -> list[PassageSigns]:
        """By the words alone: to embed every piece would cost more than it brings."""
        weights = shipped_weights(encoder=False)
        read = [[(each, score(each, weights)) for each in signs] for signs in self._words]
        return read_passage_signs(self._asked, self._candidates, self._pieces, read)

    def _ordered(self) -> tuple[int, ...]:
        if not self._candidates:
            return ()
        scores = shipped_trees().scores(self.signs)

        def key(n: int) -> tuple[bool, bool, bool, float]:
            is_too_hard = self._wish.simpler and not self._is_simple(n)
            return not self._teaches(n), is_too_hard, not self.answers_whole(n), -scores[n - 1]

        return tuple(sorted(range(1, len(self._candidates) + 1), key=key))

    def _teaches(self, n: int) -> bool:
        """Whether it is no list of questions, or its heading is asked for."""
        pair, signs = self._candidates[n - 1].pair, self.signs[n - 1]
        if pair.source is not Source.MATERIAL or signs.headed > 0:
            return True
        return not (signs.asks > 0.5 or any(map(is_exercises, pair.locator.heading_path[-1:])))

    def _is_simple(self, n: int) -> bool:
        """Whether it gives an example or is spoken."""
        pair = self._candidates[n - 1].pair
        return gives(Kind.EXAMPLE, pair.answer) or pair.locator.start_s is not None

    def _places(self, n: int, told: Sequence[str], most: int | None) -> tuple[range, int]:
        """The places of the pieces that are quoted of a candidate, and of the one that answers best: all of
        an FAQ entry or definition, and of a passage that is short, else one excerpt of it around the best.
        """
        pair, pieces = self._candidates[n - 1].pair, self.pieces(n)
        fresh = [place for place, piece in enumerate(pieces) if not _is_told(piece, told)]
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT) and not self._wish.shorter
        if not fresh or (is_whole and len(fresh) < len(pieces)):
            return range(0), 0
        best = max(fresh, key=self.scores(n).__getitem__) if len(fresh) > 1 else fresh[0]
        width = 0 if self._wish.shorter else most or (_WHOLE_WIDTH if is_whole else EXCERPT_WIDTH)
        if sum(piece.width for piece in pieces) <= width and len(fresh) == len(pieces):
            return range(len(pieces)), best
        return window(pieces, best, width), best


def _is_told(piece: Piece, told: Sequence[str]) -> bool:
    letters = _letters(piece.text)
    return bool(letters) and any(letters in each for each in told)


def _letters(text: str) -> str:
    """The letters of a text, without marks of citations and Markdown: for finding it in another."""
    return re.sub(r"[\W_]+", "", re.sub(r"\[\d{1,3}\]", "", normalise(text)))
