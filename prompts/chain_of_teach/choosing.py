"""Which of the candidates a question is answered from, and with which of their words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prompts.chain_of_teach.excerpts import Piece, columns, complete, is_open, read_pieces, show_pieces
from vta.kinds import Kind, kinds_of
from vta.text import Analyser, jaccard, normalise
from vta.types import Candidate, Concept, QAPair, Source, Wish
from vta.units import UnitKind, begins_with, defines, gives

_WIDTH = 560
_WHOLE_WIDTH = 1400
_MOST_SENTENCES = 4
_ADDS = 0.25
_SAME_HEADING = 0.6
_LIKENESS = 2.0
_UNITS = {
    Kind.CODE: UnitKind.CODE,
    Kind.FORMULA: UnitKind.FORMULA,
    Kind.MANNER: UnitKind.LIST,
    Kind.DIFFERENCE: UnitKind.TABLE,
}
_UNASKED = {UnitKind.CODE: 1.0, UnitKind.FORMULA: 0.6, UnitKind.TABLE: 0.3}
_STRICT = frozenset({Kind.CODE, Kind.FORMULA, Kind.EXAMPLE})
_FURNITURE = re.compile(
    r"(?:练习|习题|思考题|参考文献|常见错误|"
    r"exercises?|problems|references|(?:common )?mistakes|pitfalls)\W*$",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:now|next|below|recall|let(?:['’]s| us)|(?:in|throughout) this (?:section|chapter|lecture)|"
    r"we (?:will|now|shall)|as (?:we|shown|before)|so far)\b|"
    r"接下来|下面|本[节章讲]|我们(?:将|来|先|接着)|让我们|上[一]?[节章讲]|前面|今天|这[一]?[节讲]",
    re.IGNORECASE,
)
_CONCEPT_FIT = 0.3
_UNLIKE = 0.7
_TERM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)、])\s*([^:：\n]{1,60})[:：]", re.MULTILINE)
_COPULA = re.compile(r"是|指|称为|叫作?|\b(?:is|are|means?|refers? to|denotes?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of the n-th candidate as Markdown with its mark; `covers` are the question's words in it."""

    n: int
    text: str
    value: float
    covers: frozenset[str]


class Chooser:
    """Reads the candidates of one question, and takes from each the words that answer it."""

    def __init__(
        self,
        question: str,
        candidates: Sequence[Candidate],
        *,
        analyser: Analyser,
        concepts: Sequence[Concept] = (),
        wish: Wish = Wish(),
    ) -> None:
        """`concepts` are those that the question names: a text may call them otherwise."""
        named = frozenset({Kind.DEFINITION}) if len(concepts) == 1 else frozenset()
        self.kinds = wish.kinds or kinds_of(question) or named
        self._question, self._candidates, self._analyser, self._wish = question, candidates, analyser, wish
        self._shares: dict[str, frozenset[str]] = {}
        self._told = tuple(map(_letters, wish.told))
        self._pieces = {n: read_pieces(c.pair.answer) for n, c in enumerate(candidates, start=1)}
        self._weights = self._weigh(question)
        self._asked = frozenset(analyser.words(question))
        self._names = [
            (frozenset(analyser.words(said)) & self._weights.keys(), names)
            for concept in concepts
            for names in [{normalise(name) for name in (concept.name, *concept.aliases)}]
            for said in names
            if said in normalise(question)
        ]

    def excerpts(self) -> list[Excerpt]:
        """One excerpt of each candidate that has something to say and was not told, best first."""
        found = [e for n in self._pieces if (e := self._excerpt(n)) is not None]
        return sorted(found, key=lambda each: -each.value)

    def share(self, words: frozenset[str]) -> float:
        """How much of the question's content these of its words make, in 0..1."""
        total = sum(self._weights.values())
        return sum(self._weights[word] for word in words) / total if total else 0.0

    def adds(self, other: Excerpt, to: Excerpt) -> bool:
        """Whether an excerpt holds what the question asks for and another one lacks: words, or a kind."""
        new = self.share(other.covers - to.covers)
        lacking = [kind for kind in self.kinds - {Kind.DEFINITION} if not gives(kind, to.text)]
        return new >= _ADDS or any(gives(kind, other.text) for kind in lacking)

    def definition(self, names: Sequence[str]) -> Excerpt | None:
        """The sentence of the best candidate that says, all in itself, what the thing of these names is."""
        for n, pieces in self._pieces.items():
            for place, piece in enumerate(pieces):
                if piece.kind is UnitKind.SENTENCE and defines(names, piece.text) and not is_open(piece):
                    text = show_pieces(pieces, {place}, f" [{n}]")
                    return Excerpt(n=n, text=text, value=self._prior(n), covers=self._shared(piece.text))
        return None

    def _weigh(self, question: str) -> Mapping[str, float]:
        """The content words of the question, each the more the fewer candidates hold it."""
        wanted = dict.fromkeys(self._analyser.content_words(question))
        texts = [set(self._analyser.words(f"{c.pair.question}\n{c.pair.answer}")) for c in self._candidates]
        held = Counter(word for words in texts for word in words if word in wanted)
        return {word: math.log(1 + (len(texts) + 1) / (held[word] + 1)) for word in wanted}

    def _shared(self, text: str) -> frozenset[str]:
        """The content words of the question that a text holds, by these names or others; each text once."""
        if text not in self._shares:
            self._shares[text] = self._share_words(text)
        return self._shares[text]

    def _share_words(self, text: str) -> frozenset[str]:
        shared = frozenset(self._weights.keys() & set(self._analyser.words(text)))
        plain = normalise(text)
        return shared.union(*(said for said, names in self._names if any(name in plain for name in names)))

    def _excerpt(self, n: int) -> Excerpt | None:
        pair, pieces = self._candidates[n - 1].pair, self._pieces[n]
        fresh = [i for i, piece in enumerate(pieces) if not self._is_told(piece)]
        if not fresh:
            return None
        title = self._shared("\n".join((pair.question, *pair.similar_questions)))
        likeness = self._likeness(pair)
        is_whole = pair.source in (Source.FAQ, Source.CONCEPT) and not self._wish.shorter
        if is_whole and len(fresh) < len(pieces):
            return None
        if is_whole and sum(piece.width for piece in pieces) <= _WHOLE_WIDTH:
            places = set(range(len(pieces)))
        else:
            places = self._choose(pieces, fresh, title, likeness)
        text = "\n".join(pieces[place].text for place in sorted(places))
        covers = title | self._shared(text)
        fit = self._fit(n, text) * (0.3 if self._is_beside(pieces, places) else 1.0)
        return Excerpt(
            n=n,
            text=show_pieces(pieces, places, f" [{n}]"),
            value=self._prior(n) * fit * (0.5 + self.share(covers) + _LIKENESS * likeness),
            covers=covers,
        )

    def _likeness(self, pair: QAPair) -> float:
        """How like its question or its headings are to what is asked, word by word, in 0..1."""
        ways = (pair.question, *pair.similar_questions)
        if pair.source is not Source.MATERIAL and any(map(self._is_bare, ways)):
            return 0.5
        return max(jaccard(self._asked, set(self._analyser.words(way))) for way in ways)

    def _is_bare(self, way: str) -> bool:
        """Whether a question speaks of nothing but a concept that is asked for."""
        about = set(self._analyser.content_words(way))
        return any(
            about <= set(self._analyser.words(name)) for _, names in self._names for name in names
        ) and kinds_of(way) <= {Kind.DEFINITION}

    def _prior(self, n: int) -> float:
        candidate, best = self._candidates[n - 1], max(c.score for c in self._candidates)
        if candidate.relevance is not None:
            return candidate.relevance
        return max(candidate.score / best, 0.0) if best > 0 else 1.0

    def _fit(self, n: int, text: str) -> float:
        """How well a pair goes with the kind of thing that is asked for; 1 where nothing speaks against."""
        pair = self._candidates[n - 1].pair
        if (aside := _FURNITURE.search(pair.question)) and not self._asked & set(
            self._analyser.words(aside.group())
        ):
            return 0.3
        strict = self.kinds & _STRICT
        if strict:
            whole = f"{pair.question}\n{pair.answer}"
            return 3.0 if any(gives(kind, whole) for kind in strict) else 0.7
        if self._wish.simpler:
            return 1.5 if gives(Kind.EXAMPLE, pair.answer) or pair.locator.start_s is not None else 0.7
        match pair.source:
            case Source.FAQ:
                return 1.0 if self._asks_alike(pair) else _UNLIKE
            case Source.CONCEPT:
                if not self.kinds <= {Kind.DEFINITION} or not begins_with([pair.question], pair.answer):
                    return _CONCEPT_FIT
                return 1.0 if defines([pair.question], pair.answer) else 0.8
            case _:
                return 1.0 if any(gives(kind, text) for kind in self.kinds) or not self.kinds else 0.8

    def _asks_alike(self, pair: QAPair) -> bool:
        """Whether an FAQ entry asks for one of these kinds; one that asks for none defines nothing."""
        ways = [kinds_of(way) for way in (pair.question, *pair.similar_questions)]
        if self.kinds == {Kind.DEFINITION}:
            return any(Kind.DEFINITION in kinds for kinds in ways)
        return not self.kinds or any(not kinds or kinds & self.kinds for kinds in ways)

    def _choose(
        self, pieces: Sequence[Piece], fresh: Sequence[int], title: frozenset[str], likeness: float
    ) -> set[int]:
        """The places of the best piece with what it rests on, and of others as far as there is room."""
        scores = {i: self._score(pieces[i], i, title, is_last=i + 1 == len(pieces)) for i in fresh}
        order = sorted(fresh, key=lambda i: -scores[i])
        if likeness >= _SAME_HEADING:
            order = list(fresh)
            scores = dict.fromkeys(fresh, 1.0)
        chosen = complete(pieces, order[:1])
        if self._wish.shorter:
            return chosen
        follows = [i for i in fresh if i > order[0] and pieces[i].block == pieces[order[0]].block]
        for i in [
            *(i for i in order[1:] if scores[i] >= 0.6 * scores[order[0]] and self._shared(pieces[i].text)),
            *follows,
        ]:
            more = complete(pieces, {*chosen, i})
            sentences = [k for k in more if pieces[k].kind is UnitKind.SENTENCE]
            if len(sentences) <= _MOST_SENTENCES and sum(pieces[k].width for k in more) <= _WIDTH:
                chosen = more
        return chosen

    def _score(self, piece: Piece, place: int, title: frozenset[str], *, is_last: bool) -> float:
        own = self._shared(piece.text)
        score = self.share(own) + 0.4 * self.share(title - own)
        if any(piece.kind is _UNITS.get(kind) for kind in self.kinds):
            score += 1.0 if self.kinds & _STRICT else 0.3
        elif piece.kind is not UnitKind.SENTENCE:
            score -= _UNASKED.get(piece.kind, 0.0)
        elif any(gives(kind, piece.text) for kind in self.kinds):
            score += 0.2
        if Kind.DEFINITION in self.kinds and self._defines(piece):
            score += 0.5
        if piece.text.rstrip().endswith(("?", "？")) or (is_open(piece) and is_last):
            score -= 0.3
        if _ANNOUNCES.match(piece.text):
            score -= 0.2
        return score + (0.1 if place == 0 else 0.0)

    def _is_beside(self, pieces: Sequence[Piece], places: set[int]) -> bool:
        """Whether nothing was found but code or formulas that nobody asked for."""
        kinds = {pieces[place].kind for place in places}
        return kinds <= {UnitKind.CODE, UnitKind.FORMULA} and not self.kinds & {Kind.CODE, Kind.FORMULA}

    def _defines(self, piece: Piece) -> bool:
        """Whether a sentence or item says what is asked for: its words stand before "is" or a colon."""
        if piece.kind is UnitKind.LIST:
            return any(self.share(self._shared(term)) >= 0.5 for term in _TERM.findall(piece.text))
        if piece.kind is not UnitKind.SENTENCE:
            return False
        if any(defines(names, piece.text) for _, names in self._names):
            return True
        copula = _COPULA.search(piece.text)
        if copula is None:
            return False
        before = piece.text[: copula.start()]
        return columns(before) <= 60 and self.share(self._shared(before)) >= 0.6

    def _is_told(self, piece: Piece) -> bool:
        letters = _letters(piece.text)
        return bool(letters) and any(letters in told for told in self._told)


def _letters(text: str) -> str:
    """The letters of a text, without marks of citations and Markdown: for finding it in another."""
    return re.sub(r"[\W_]+", "", re.sub(r"\[\d{1,3}\]", "", normalise(text)))
