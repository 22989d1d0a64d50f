"""S and similarity fused by reciprocal ranks (Cormack, Clarke and Büttcher 2009).

    RRF(z) = sum over the rankings r of 1 / (k + rank_r(z)),   k = 60

The rankings are the best pairs under S and the nearest few by similarity. The fusion gives the order and
nothing else: `Candidate.score` stays S, so beta and the floor keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from knowledge.ranking import ConceptAwareRanker, first_answers, source_weights
from knowledge.vectors.nearest import Neighbour, VectorIndex
from vta.errors import NotReady, UpstreamFailed
from vta.ports import Embedder
from vta.types import (
    Candidate,
    Concept,
    Course,
    Degradation,
    Mention,
    PairId,
    QAPair,
    Ranking,
    SourceWeight,
)

K = 60
DEPTH = 50
"""The least number of pairs by S that are fused, so that the order does not depend on how many are wanted."""


def reciprocal_ranks(rankings: Iterable[Sequence[PairId]], k: int = K) -> dict[PairId, float]:
    """RRF of every id; a ranking adds nothing to an id that it does not hold."""
    fused: dict[PairId, float] = {}
    for ranking in rankings:
        for rank, each in enumerate(ranking, start=1):
            fused[each] = fused.get(each, 0.0) + 1 / (k + rank)
    return fused


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSide:
    """All that vectors add to a ranker.

    `nearest` pairs by similarity are fused. One that shares no term with the question (S = 0) is found only
    with a similarity of at least `threshold`.
    """

    embedder: Embedder
    index: VectorIndex
    threshold: float = 0.78
    nearest: int = 5

    def fuse(self, words: ConceptAwareRanker, courses: Sequence[Course]) -> FusedRanker:
        return FusedRanker(words=words, vectors=self, courses=courses)


class FusedRanker:
    """`vta.ports.Ranker`: that of words, re-ordered and extended by similarity.

    Where the embedder or the vectors of the index fail, the ranking is that of words, and says so.
    """

    def __init__(self, *, words: ConceptAwareRanker, vectors: VectorSide, courses: Sequence[Course]) -> None:
        self._words = words
        self._vectors = vectors
        self._courses = tuple(courses)

    @property
    def by_words(self) -> ConceptAwareRanker:
        """The ranker that is fused here, which knows no vectors."""
        return self._words

    def rank(
        self,
        question: str,
        *,
        course: Course,
        mentions: Sequence[Mention],
        chit_chat: float,
        top: int,
        found: Sequence[QAPair] = (),
    ) -> Ranking:
        by_words = self._words.rank(
            question,
            course=course,
            mentions=mentions,
            chit_chat=chit_chat,
            top=max(top, DEPTH),
            found=found,
        )
        weights = source_weights(course, self._courses, chit_chat)
        try:
            near = self._nearest(question, weights)
        except (NotReady, UpstreamFailed) as failure:
            degraded = Degradation(stage="vectors", reason=failure.message)
            return replace(by_words, candidates=by_words.candidates[:top], degraded=degraded)
        known = {c.pair.id: c for c in by_words.candidates}
        others = [each.pair for each in near if each.pair.id not in known]
        known |= {
            c.pair.id: c
            for c in self._words.score(
                others, question, course=course, mentions=mentions, chit_chat=chit_chat
            )
        }
        similarities = {each.pair.id: each.similarity for each in near}
        kept = [pair for pair, similarity in similarities.items() if self._counts(known[pair], similarity)]
        fused = reciprocal_ranks([[c.pair.id for c in by_words.candidates], kept])
        candidates = [replace(known[each], similarity=similarities.get(each)) for each in fused]
        candidates.sort(key=lambda c: (-fused[c.pair.id], -c.score, c.pair.id))
        return replace(by_words, candidates=tuple(candidates[: max(top, 0)]))

    def coverage(
        self, question: str, *, mentions: Sequence[Mention], candidates: Sequence[Candidate]
    ) -> float:
        return self._words.coverage(question, mentions=mentions, candidates=candidates)

    def where_taught(self, concept: Concept, *, course: Course) -> Candidate | None:
        return self._words.where_taught(concept, course=course)

    def _nearest(self, question: str, weights: Sequence[SourceWeight]) -> Sequence[Neighbour]:
        vector = self._vectors.embedder.embed([question])[0]
        index = self._vectors.index
        return first_answers(
            lambda wanted: index.nearest(vector, weights, wanted), question, self._vectors.nearest
        )

    def _counts(self, candidate: Candidate, similarity: float) -> bool:
        return candidate.score > 0 or similarity >= self._vectors.threshold
