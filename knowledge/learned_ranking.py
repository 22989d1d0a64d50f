"""The ranker of the platform: the best pairs by S and the nearest by meaning, ordered by learned relevance.

`Candidate.score` stays S(z, q), exact also for a pair that only vectors found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from math import log
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from knowledge.bm25 import PairWords
from knowledge.ranking import AskedQuestion, ConceptAwareRanker
from knowledge.relevance import (
    LEAST_SCORE,
    WEIGHTS,
    Features,
    documents,
    neighbours,
    questions_of,
    rarities,
    share_adjacent,
    share_held,
)
from vta.errors import NotReady, UpstreamFailed
from vta.faq import is_no_answer_to
from vta.kinds import asks_alike, asks_definition
from vta.languages import Language
from vta.patterns import read_table
from vta.ports import Embedder
from vta.scoring import logistic
from vta.text import detect_language, jaccard
from vta.types.concepts import Concept, Mention
from vta.types.courses import Course, PairId
from vta.types.pairs import Candidate, Degradation, QAPair, Ranking, Source

if TYPE_CHECKING:
    from knowledge.vectors.rows import Vector, VectorIndex

DEPTH = 30
"""Pairs judged of each of the two rankings, and never fewer than are asked for."""

_AS_RELEVANT = 0.75
"""The odds of relevance, over those of the best, from which an FAQ pair has a vote."""

_MOST_VOTES = 20
_ALIKE = 0.6
"""From this similarity on two answers vote for each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSide:
    """All that vectors add to a ranker: what embeds questions and passages, and the index."""

    questions: Embedder
    passages: Embedder
    index: VectorIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Candidates of a question with their S, by words and then by meaning, and the nearest cosines.

    `vector` is the question's, None where there are no vectors or they failed.
    """

    asked: AskedQuestion
    found: tuple[Candidate, ...]
    near: Mapping[PairId, float]
    vector: Vector | None
    degraded: Degradation | None


class Judged(NamedTuple):
    """A candidate with its relevance, the words of its pair, and the features by which it was judged."""

    candidate: Candidate
    words: PairWords
    features: Features


class LearnedRanker:
    """`vta.ports.Ranker` over the ranker by S and, where there are some, vectors.

    Where the embedder or the vectors of the index fail, the ranking is that of words, and says so.
    """

    def __init__(self, words: ConceptAwareRanker, vectors: VectorSide | None = None) -> None:
        self.by_words = words
        self._vectors = vectors

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
        joining: Sequence[QAPair] = (),
        leaving: Sequence[QAPair] = (),
    ) -> Ranking:
        """The most relevant pairs, ties by S, then by id; `joining` and `leaving` as in `judge`."""
        asked = self.by_words.ask(question, course=course, mentions=mentions, chit_chat=chit_chat)
        pool = self.gather(asked, max(top, DEPTH), found)
        judged = self.judge(pool, joining=joining, leaving=leaving)
        return Ranking(terms=asked.terms, candidates=judged[: max(top, 0)], degraded=pool.degraded)

    def gather(self, asked: AskedQuestion, depth: int, found: Sequence[QAPair] = ()) -> Pool:
        """The best so many pairs by S, and the nearest so many by cosine."""
        by_words = self.by_words.find(asked, depth, found)
        pool = Pool(asked=asked, found=by_words, near={}, vector=None, degraded=self.by_words.degraded)
        if self._vectors is None:
            return pool
        try:
            vector = self._vectors.questions.embed([asked.text])[0]
            near = self._vectors.index.nearest(vector, asked.weights, depth)
        except (NotReady, UpstreamFailed) as failure:
            return replace(pool, degraded=Degradation(stage="vectors", reason=failure.message))
        known = {candidate.pair.id for candidate in by_words}
        by_meaning = self.by_words.look_at(near.keys() - known, asked)
        return replace(pool, found=(*by_words, *by_meaning), near=near, vector=vector)

    def judge(
        self, pool: Pool, *, joining: Sequence[QAPair] = (), leaving: Sequence[QAPair] = ()
    ) -> tuple[Candidate, ...]:
        """The pairs of a pool by relevance, as if `joining` were in the index and `leaving` gone for good.

        A passage under a heading that is the question's own words goes before all others, and so does the
        explanation of a name that is, where the question asks what that means.
        """
        defines = asks_definition(pool.asked.text)

        def key(judged: Judged) -> tuple[bool, float, float, PairId]:
            each, heading = judged.candidate, judged.words.heading
            is_asked = bool(heading) and heading == pool.asked.words
            is_asked &= defines or each.pair.source is not Source.CONCEPT
            return not is_asked, -(each.relevance or 0.0), -each.score, each.pair.id

        return _agreed_first(sorted(self.read(pool, joining=joining, leaving=leaving), key=key))

    def read(
        self, pool: Pool, *, joining: Sequence[QAPair] = (), leaving: Sequence[QAPair] = ()
    ) -> list[Judged]:
        """The pairs of a pool with their S, relevance and features.

        A pair that is not among the nearest counts as near as the last of them.
        """
        asked, scored, near = pool.asked, pool.found, dict(pool.near)
        beyond = min(pool.near.values(), default=-1.0)
        if joining or leaving:  # S of every pair is another one
            asked = self.by_words.recount(asked, joining=joining, leaving=leaving)
            new = [pair for pair in joining if not is_no_answer_to(pair, asked.text)]
            near |= self._similarities(new, pool)
            gone = {pair.id for pair in leaving}
            kept = [each.pair for each in scored if each.pair.id not in gone]
            scored = self.by_words.score([*kept, *new], asked)
        likeness = [0.0 if pool.vector is None else near.get(each.pair.id, beyond) for each in scored]
        likeness_of_document = documents([each.pair for each in scored], likeness)
        wanted, following = rarities(asked.query, asked.statistics), neighbours(asked.query)
        language = detect_language(asked.text, Language.EN)
        table = read_table("knowledge", WEIGHTS)["words" if pool.vector is None else "vectors"]
        bias, weights = table["bias"], [table.get(name, 0.0) for name in Features._fields]
        found = []
        for each, similarity, document in zip(scored, likeness, likeness_of_document, strict=True):
            pair, words = each.pair, self.by_words.words(each.pair)
            features = Features(
                score=log(each.score + LEAST_SCORE),
                coverage=share_held(words.running, wanted, asked.query.alike),
                adjacent=share_adjacent(words.running, following),
                similarity=similarity,
                document=document,
                unlike=float(not asks_alike(asked.text, questions_of(pair))),
                foreign=float(words.language is not language),
            )
            relevance = round(logistic(sum(map(mul, weights, features), start=bias)), 6)
            judged = replace(each, similarity=near.get(pair.id), relevance=relevance)
            found.append(Judged(judged, words, features))
        return found

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self.by_words.where_taught(concept, course=course)

    def _similarities(self, pairs: Sequence[QAPair], pool: Pool) -> dict[PairId, float]:
        """The cosines of pairs that are not in the index."""
        if pool.vector is None or self._vectors is None or not pairs:
            return {}
        from knowledge.vectors.rows import embedded_text

        rows = self._vectors.passages.embed([embedded_text(pair) for pair in pairs])
        return {pair.id: float(row @ pool.vector) for pair, row in zip(pairs, rows, strict=True)}


def _agreed_first(judged: Sequence[Judged]) -> tuple[Candidate, ...]:
    """Where an FAQ pair is the first, the most agreed of those that are as relevant goes before it.

    It counts as being as relevant as that one.
    """
    ordered = [each.candidate for each in judged]
    if not ordered or ordered[0].pair.source is not Source.FAQ:
        return tuple(ordered)
    best, least = ordered[0], _AS_RELEVANT * odds(ordered[0])
    equals = [
        each for each in judged if each.candidate.pair.source is Source.FAQ and odds(each.candidate) >= least
    ][:_MOST_VOTES]
    chosen = equals[most_agreed([frozenset(each.words.running.split()) for each in equals])].candidate
    first = chosen if chosen is best else replace(chosen, relevance=best.relevance)
    return (first, *(each for each in ordered if each is not chosen))


def most_agreed(answers: Sequence[Set[str]]) -> int:
    """Which of these, by its words, is most alike to the others; the first of equals, so of two.

    This is the choice of least Bayes risk (Kumar and Byrne 2004) among equals, with the Jaccard similarity of
    words as the gain; answers that share little of them are no votes for each other.
    """
    agreement = [0.0] * len(answers)
    for one, other in combinations(range(len(answers)), 2):
        if (alike := jaccard(answers[one], answers[other])) >= _ALIKE:
            agreement[one] += alike
            agreement[other] += alike
    return max(range(len(answers)), key=agreement.__getitem__)


def odds(candidate: Candidate) -> float:
    """The odds of its relevance, p / (1 - p)."""
    relevance = candidate.relevance or 0.0
    return relevance / max(1 - relevance, 1e-6)
