"""The honest small `PairIndex`: BM25 in plain Python over every pair, nothing clever."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from plain_faults import plain

from vta.errors import Conflict, NotReady
from vta.text import Analyser
from vta.types.courses import CourseId, PairId
from vta.types.pairs import Candidate, CollectionStatistics, QAPair, SearchQuery, SourceWeight

K1, B = 1.2, 0.75
FIELDS = {"words": 1.0, "grams": 0.75}
"""What a match counts in each kind of token."""
NOTHING = ("-",)
"""A field without tokens counts as one of length 1 that nobody asks for."""


@dataclass(frozen=True)
class Fields:
    """A pair with the tokens of its four fields."""

    pair: QAPair
    tokens: Mapping[tuple[str, str], Sequence[str]]


def one_byte(length: int) -> int:
    """A field's length as Lucene keeps it in one byte: exact up to 40, then with four significant bits."""
    rest = length - 24
    if rest < 16:
        return length
    shift = rest.bit_length() - 4
    return 24 + (rest >> shift << shift)


def lucene_idf(frequency: int, documents: int) -> float:
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


class BruteForceIndex:
    """`knowledge.index.PairIndex` that scores every pair of every search."""

    def __init__(self) -> None:
        self._live: tuple[str, tuple[Fields, ...]] | None = None

    def replace(self, pairs: Iterable[QAPair], *, analyser: Analyser, stamp: str) -> int:
        staged = tuple(_fields(pair, analyser) for pair in pairs)
        self._live = stamp, staged
        return len(staged)

    def update(
        self,
        *,
        put: Collection[QAPair],
        remove: Mapping[PairId, CourseId],
        analyser: Analyser,
        since: str,
        stamp: str,
    ) -> None:
        gone = {*remove, *(pair.id for pair in put)}
        kept = tuple(each for each in self._documents() if each.pair.id not in gone)
        if self.stamp() != since:
            raise Conflict(plain("the index was changed by someone else"))
        self._live = stamp, (*kept, *(_fields(pair, analyser) for pair in put))

    def stamp(self) -> str | None:
        return self._live[0] if self._live else None

    def search(self, query: SearchQuery, weights: Sequence[SourceWeight], top: int) -> tuple[Candidate, ...]:
        return self.score_all(query, weights)[: max(top, 0)]

    def score(
        self, query: SearchQuery, weights: Sequence[SourceWeight], ids: Collection[PairId]
    ) -> tuple[Candidate, ...]:
        return tuple(each for each in self.score_all(query, weights, least=0.0) if each.pair.id in ids)

    def statistics(self, query: SearchQuery, course_id: CourseId) -> CollectionStatistics:
        documents = self._of_course(course_id)
        asked = {(s, kind): getattr(query, kind) for s in ("question", "answer") for kind in FIELDS}
        return CollectionStatistics(
            documents=len(documents),
            average_lengths={
                f"{side}_{kind}": sum(len(each.tokens[side, kind]) for each in documents)
                / max(len(documents), 1)
                for side, kind in asked
            },
            frequencies={
                (f"{field[0]}_{field[1]}", token): _frequency(documents, field, token)
                for field, terms in asked.items()
                for token, _ in terms
            },
        )

    def perfect_bm25(self, query: SearchQuery, course_id: CourseId) -> float:
        """What S is relative to, computed here once more."""
        documents = self._of_course(course_id)
        return sum(
            share * boost * lucene_idf(_frequency(documents, ("question", kind), token), len(documents))
            for kind, share in FIELDS.items()
            for token, boost in getattr(query, kind)
        )

    def score_all(
        self, query: SearchQuery, weights: Sequence[SourceWeight], *, least: float = 1e-9
    ) -> tuple[Candidate, ...]:
        """Every pair with at least this BM25, best first, ties by pair id."""
        chosen = {(w.source, w.course_id): w for w in weights if w.weight > 0}
        found = []
        for document in self._documents():
            weight = chosen.get((document.pair.source, document.pair.course_id))
            of_course = self._of_course(document.pair.course_id) if weight else ()
            bm25 = _bm25(document, query, weight, of_course) if weight else 0.0
            if weight and bm25 >= least:
                score = weight.weight * bm25
                found.append(Candidate(pair=document.pair, bm25=bm25, weight=weight.weight, score=score))
        return tuple(sorted(found, key=lambda c: (-c.score, c.pair.id)))

    def _of_course(self, course_id: CourseId) -> tuple[Fields, ...]:
        return tuple(each for each in self._documents() if each.pair.course_id == course_id)

    def _documents(self) -> tuple[Fields, ...]:
        if self._live is None:
            raise NotReady(plain("the index is empty"))
        return self._live[1]


def _fields(pair: QAPair, analyser: Analyser) -> Fields:
    """Of the question side only the content is kept."""
    question = "\n".join((pair.question, *pair.similar_questions))
    tokens = {
        ("question", "words"): analyser.content_words(question),
        ("question", "grams"): analyser.content_grams(question),
        ("answer", "words"): analyser.words(pair.answer),
        ("answer", "grams"): analyser.grams(pair.answer),
    }
    return Fields(pair, {field: tuple(found) or NOTHING for field, found in tokens.items()})


def _bm25(document: Fields, query: SearchQuery, weight: SourceWeight, documents: Sequence[Fields]) -> float:
    total = 0.0
    for side, boost in (("question", weight.question), ("answer", weight.answer)):
        for kind, share in FIELDS.items():
            field = side, kind
            counts = Counter(document.tokens[field])
            average = sum(len(each.tokens[field]) for each in documents) / len(documents)
            for token, token_boost in getattr(query, kind):
                if count := counts[token]:
                    length = one_byte(len(document.tokens[field]))
                    norm = K1 * (1 - B + B * length / average)
                    idf = lucene_idf(_frequency(documents, field, token), len(documents))
                    total += boost * share * token_boost * idf * count * (K1 + 1) / (count + norm)
    return total


def _frequency(documents: Sequence[Fields], field: tuple[str, str], token: str) -> int:
    return sum(token in document.tokens[field] for document in documents)
