"""Which of the candidates a question is answered from, and with which of their words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prompts.chain_of_teach.asked import Asked
from prompts.chain_of_teach.excerpts import Piece, complete, is_open, read_pieces, show_pieces
from prompts.chain_of_teach.sentences import Signs, read_signs, score, shipped_weights
from prompts.follow_up.organisation import is_about_organisation
from vta.kinds import Kind, asks_alike, kinds_of
from vta.ports import Embedder
from vta.text import normalise
from vta.types import Candidate, QAPair, Source, Wish
from vta.units import UnitKind, begins_with, defines, gives, names_amount, own_units

_WIDTH = 560
_WHOLE_WIDTH = 1400
_MOST_SENTENCES = 4
_SAME_QUESTION = 0.5
_SAME_HEADING = 0.6
_LESS = 0.6
_GIVEN = 4.0
_UNTOUCHED = 0.3
_BEST = 0.25
_SUREST = 0.99
_STRICT = frozenset({Kind.CODE, Kind.FORMULA, Kind.EXAMPLE})
_FURNITURE = re.compile(
    r"(?:练习|习题|思考题|参考文献|常见错误|"
    r"exercises?|problems|references|(?:common )?mistakes|pitfalls)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of the n-th candidate as Markdown with its mark; `value` is that of the candidate.

    `rank` says which of several that are quoted stands first, see `Chooser`.
    """

    n: int
    text: str
    value: float
    rank: float


class Chooser:
    """Orders the candidates of one question, and takes from each the words that answer it.

    Which are quoted goes by their value: relevance, kind and likeness of title. Which of these stands first
    goes by their rank, value / (1 - p) * exp((u + t) / 4): p is the relevance, u the score of the best piece,
    t how much of the question the title holds. The weights are near those of a conditional logit.
    """

    def __init__(
        self, asked: Asked, candidates: Sequence[Candidate], *, embedder: Embedder | None, wish: Wish = Wish()
    ) -> None:
        self._asked, self._candidates, self._embedder, self._wish = asked, candidates, embedder, wish
        self._told = tuple(map(_letters, wish.told))
        self._weights = shipped_weights(encoder=embedder is not None)
        self._pieces: dict[int, tuple[Piece, ...]] = {}
        self._signs: dict[int, tuple[Signs, ...]] = {}
        self._values = {n: self._value(n) for n in range(1, len(candidates) + 1)}
        self.order = tuple(sorted(self._values, key=lambda n: -self._values[n]))
        self.meant = tuple(
            sorted(self._values, key=lambda n: -self._values[n] * _as_question(candidates[n - 1].pair))
        )

    def excerpts(self, order: Sequence[int]) -> Iterator[Excerpt]:
        """One excerpt of each of these candidates that has something to say and was not told, in their order.

        Nothing but code or formulas that nobody asked for comes only where there is nothing else.
        """
        beside: list[Excerpt] = []
        is_empty = True
        for n in order:
            if not (places := self._places(n)):
                continue
            excerpt = self._excerpt(n, places)
            if self._is_beside(n, places):
                beside.append(excerpt)
            else:
                is_empty = False
                yield excerpt
        if is_empty:
            yield from beside

    def definition(self, names: Sequence[str]) -> Excerpt | None:
        """The sentence of the best candidate that says, all in itself, what the thing of these names is."""
        for n in self._values:
            pieces = self.pieces(n)
            for place, piece in enumerate(pieces):
                if piece.kind is UnitKind.SENTENCE and defines(names, piece.text) and not is_open(piece):
                    return self._excerpt(n, {place})
        return None

    def lacks_amount(self) -> bool:
        """Whether a date or number of how the course is run is asked for, as in "when is the exam", and no
        sentence of the first two candidates is about that and names one.
        """
        amounts = self._asked.kinds & {Kind.TIME, Kind.AMOUNT}
        if not amounts or not is_about_organisation(self._asked.text):
            return False
        sentences = [piece.text for n in self.order[:2] for piece in self.pieces(n)]
        return not any(
            self._asked.share(self._asked.held(text)) >= 0.5 and any(names_amount(k, text) for k in amounts)
            for text in sentences
        )

    def pieces(self, n: int) -> tuple[Piece, ...]:
        """The pieces of the n-th candidate, read when they are first asked for."""
        if n not in self._pieces:
            self._pieces[n] = read_pieces(self._candidates[n - 1].pair.answer)
        return self._pieces[n]

    def answers_whole(self, n: int) -> bool:
        """Whether the n-th candidate is an FAQ entry or definition that answers just this question."""
        pair = self._candidates[n - 1].pair
        kinds = frozenset({Kind.DEFINITION}).union(*map(kinds_of, pair.wordings))
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT)
        is_asked = pair.source is Source.FAQ or self._asked.asks_definition
        return is_whole and is_asked and self._likeness(pair) >= _SAME_QUESTION and self._asked.kinds <= kinds

    def _value(self, n: int) -> float:
        """The relevance of a candidate, the more the liker its question or heading is to what is asked."""
        candidate = self._candidates[n - 1]
        touched = 1.0 if self._asked.is_touched_by(n) else _UNTOUCHED
        fit = self._fit(candidate.pair) * touched * (1 + self._likeness(candidate.pair))
        return _relevance(candidate, self._candidates) * fit

    def _likeness(self, pair: QAPair) -> float:
        """How like its question or heading is to what is asked, in 0..1."""
        likeness = max(map(self._asked.likeness, pair.wordings))
        if pair.source is not Source.MATERIAL and any(map(self._asked.is_about_alone, pair.wordings)):
            return max(likeness, _SAME_QUESTION)
        return likeness

    def _fit(self, pair: QAPair) -> float:
        """How well a pair goes with the kind of thing that is asked for; 1 where nothing speaks against."""
        asked = self._asked
        if (aside := _FURNITURE.search(pair.question)) and not asked.held(aside.group()):
            return 0.3
        if strict := asked.kinds & _STRICT:
            whole = f"{pair.question}\n{pair.answer}"
            return 3.0 if any(gives(kind, whole) for kind in strict) else 0.7
        if self._wish.simpler:
            return 1.5 if gives(Kind.EXAMPLE, pair.answer) or pair.locator.start_s is not None else 0.7
        match pair.source:
            case Source.FAQ:
                return 1.0 if asks_alike(asked.text, pair.wordings) else 0.7
            case Source.CONCEPT if asked.kinds and Kind.DEFINITION not in asked.kinds:
                return 0.3
            case Source.CONCEPT:
                return 1.0 if begins_with([pair.question], pair.answer) else 0.3
            case _:
                return 1.0

    def _places(self, n: int) -> set[int]:
        """The places of the pieces that are quoted of a candidate: all of an FAQ entry or a definition."""
        pair, pieces = self._candidates[n - 1].pair, self.pieces(n)
        fresh = [place for place, piece in enumerate(pieces) if not self._is_told(piece)]
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT) and not self._wish.shorter
        if not fresh or (is_whole and len(fresh) < len(pieces)):
            return set()
        if is_whole and sum(piece.width for piece in pieces) <= _WHOLE_WIDTH:
            return set(fresh)
        return self._choose(n, fresh)

    def _choose(self, n: int, fresh: Sequence[int]) -> set[int]:
        """The places of the best piece with what it rests on, and of others as far as there is room."""
        pair, pieces, signs = self._candidates[n - 1].pair, self.pieces(n), self._read(n)
        scores = [
            score(each, self._weights) + _GIVEN * self._gives(piece)
            for each, piece in zip(signs, pieces, strict=True)
        ]
        order = sorted(fresh, key=lambda place: -scores[place])
        if self._asked.likeness(pair.question) >= _SAME_HEADING:
            order = list(fresh)
        best = order[0]
        chosen = complete(pieces, [best])
        if self._wish.shorter:
            return chosen
        near = [p for p in order[1:] if scores[p] >= scores[best] - _LESS and signs[p].share > 0]
        follows = [p for p in fresh if p > best and pieces[p].block == pieces[best].block]
        for place in [*near, *follows]:
            more = complete(pieces, {*chosen, place})
            sentences = [p for p in more if pieces[p].kind is UnitKind.SENTENCE]
            if len(sentences) <= _MOST_SENTENCES and sum(pieces[p].width for p in more) <= _WIDTH:
                chosen = more
        return chosen

    def _excerpt(self, n: int, places: set[int]) -> Excerpt:
        candidate, value = self._candidates[n - 1], self._values[n]
        best = max(score(signs, self._weights) for signs in self._read(n))
        titled = max(self._asked.share(self._asked.held(title)) for title in candidate.pair.wordings)
        doubt = 1 - min(candidate.relevance or 0.0, _SUREST)
        return Excerpt(
            n=n,
            text=show_pieces(self.pieces(n), places, f" [{n}]"),
            value=value,
            rank=value / doubt * math.exp(_BEST * (best + titled)),
        )

    def _read(self, n: int) -> tuple[Signs, ...]:
        """The signs of the pieces of the n-th candidate, read when they are first asked for."""
        if n not in self._signs:
            pair = self._candidates[n - 1].pair
            self._signs[n] = read_signs(self._asked, pair, self.pieces(n), self._embedder)
        return self._signs[n]

    def _gives(self, piece: Piece) -> float:
        """1 for a unit of the very kind that is asked for by name, 0.5 where it is held among other words."""
        strict = self._asked.kinds & _STRICT
        if any(piece.kind in own_units(kind) for kind in strict):
            return 1.0
        return 0.5 * any(gives(kind, piece.text) for kind in strict)

    def _is_beside(self, n: int, places: set[int]) -> bool:
        """Whether nothing was found but code or formulas that nobody asked for."""
        kinds = {self.pieces(n)[place].kind for place in places}
        return kinds <= {UnitKind.CODE, UnitKind.FORMULA} and not self._asked.kinds & _STRICT

    def _is_told(self, piece: Piece) -> bool:
        letters = _letters(piece.text)
        return bool(letters) and any(letters in told for told in self._told)


def _as_question(pair: QAPair) -> float:
    """How much more a question of the FAQ may be what the student meant than a passage."""
    return 1.5 if pair.source is Source.FAQ else 1.0


def _relevance(candidate: Candidate, candidates: Sequence[Candidate]) -> float:
    """The learned probability, else S over that of the best."""
    if candidate.relevance is not None:
        return candidate.relevance
    best = max(each.score for each in candidates)
    return max(candidate.score / best, 0.0) if best > 0 else 1.0


def _letters(text: str) -> str:
    """The letters of a text, without marks of citations and Markdown: for finding it in another."""
    return re.sub(r"[\W_]+", "", re.sub(r"\[\d{1,3}\]", "", normalise(text)))
